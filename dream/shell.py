"""A shell line taken apart into the programs it calls. Read, never run.

Several stages ask the same question of a recorded command: which programs, with which arguments?
The answer is for comparing, so what a shell would expand stays as it was written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LIMIT = 20_000
"""Characters of a line that are looked at; a longer one is a script, and its head tells enough."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)
    |(?P<comment>(?:(?<=\s)|(?<![\s\S]))\#[^\n]*)
    |(?P<heredoc><<-?[ \t]*(?P<quote>['"]?)(?P<tag>\w+)(?P=quote))
    |(?P<redirect>(?:\d*|&)(?:>>|>\||[<>]&?|<<<)[ \t]*&?)
    |(?P<operator>&&|\|\|?|;+|&|\n|[()])
    |(?P<word>(?:\$\([^()\n]{0,2000}\)|[^\s'"\\;|&<>()]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
_PROGRAM = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9._+@-]{0,63}")
_WRAPPERS = {"sudo", "env", "time", "nohup", "command", "exec", "nice", "timeout", "then", "do"}
_VALUED = {
    "bun": "--cwd --filter",
    "cargo": "-C --config --manifest-path -p --package",
    "composer": "-d --working-dir",
    "docker": "-f --file -p --project-name --profile --env-file --context -H --host",
    "docker-compose": "-f --file -p --project-name --profile --env-file",
    "gh": "-R --repo",
    "git": "-C -c --git-dir --work-tree --namespace",
    "go": "-C",
    "gradle": "-p --project-dir",
    "gradlew": "-p --project-dir",
    "just": "-f --justfile -d --working-directory",
    "kubectl": "-n --namespace --context --kubeconfig",
    "make": "-C --directory -f --file",
    "mvn": "-f --file -pl --projects",
    "npm": "-C --prefix -w --workspace",
    "pnpm": "-C --dir -F --filter",
    "poetry": "-C --directory -P --project",
    "terraform": "-var -var-file",
    "uv": "--directory --project -p --python --with --extra --group --only-group --no-group"
    " --env-file --package --from --index --default-index --index-url --extra-index-url",
    "yarn": "--cwd",
}
VALUED = {program: frozenset(options.split()) for program, options in _VALUED.items()}
"""Options with a value in the next word, of programs that are told apart by their verb."""
_KEYWORDS = {"if", "for", "while", "until", "case", "else", "elif", "fi", "done", "esac", "{", "}"}


@dataclass(frozen=True, slots=True)
class Command:
    """One program in a line, with its arguments as written, quotes removed."""

    program: str  # last part of its path: "git"; never empty
    arguments: tuple[str, ...]
    before: str = ""  # the operator it follows: "", "&&", "||", ";", "|", "&"

    def flags(self) -> frozenset[str]:
        """Its options without their values: `--depth=1` is `--depth`."""
        return frozenset(a.split("=", 1)[0] for a in self.arguments if a.startswith("-"))

    def plain(self) -> tuple[str, ...]:
        """Its arguments that are no options, in order."""
        return tuple(a for a in self.arguments if not a.startswith("-"))

    def after_options(self) -> tuple[str, ...]:
        """Its arguments without the options at their beginning that are known to take a value."""
        rest, valued = self.arguments, VALUED.get(self.program, frozenset())
        while rest and rest[0] in valued:
            rest = rest[2:]
        return rest

    def verbs(self) -> tuple[str, ...]:
        """Its arguments that are neither options nor their values: `run pytest` of
        `uv run --directory api pytest`. What options take a value is known of some programs.
        """
        valued = VALUED.get(self.program, frozenset())
        pairs = zip(("", *self.arguments), self.arguments, strict=False)
        return tuple(a for before, a in pairs if not a.startswith("-") and before not in valued)


def commands(line: str) -> tuple[Command, ...]:
    """Every program called in a line, in order.

    Substitutions stay inside their word; here-documents, redirections and comments are left out.
    What cannot be read as a call (a bare assignment, a keyword) gives nothing.
    """
    found = (_command(words, before) for words, before in _simple(line[:LIMIT]))
    return tuple(command for command in found if command is not None)


def _simple(line: str) -> Iterator[tuple[list[str], str]]:
    words: list[str] = []
    before, tags, place, skip = "", [], 0, False
    while token := _TOKEN.match(line, place):
        place = token.end()
        if token["heredoc"]:
            tags.append(token["tag"])
        elif token["redirect"]:
            skip = True
        elif token["word"] and not skip:
            words.append(token["word"])
        elif token["operator"]:
            yield words, before
            words, before = [], _operator(token["operator"])
            if token["operator"] == "\n" and tags:
                place, tags = _after_documents(line, place, tags), []
        if not (token["redirect"] or token["space"]):
            skip = False
    yield words, before


def _operator(text: str) -> str:
    return ";" if text in {"\n", "(", ")"} or text.startswith(";") else text


def _after_documents(line: str, place: int, tags: list[str]) -> int:
    for tag in tags:
        while place < len(line):
            end = line.find("\n", place)
            end = len(line) if end < 0 else end
            here, place = line[place:end].strip(), end + 1
            if here == tag:
                break
    return min(place, len(line))


def _command(words: list[str], before: str) -> Command | None:
    rest = [_unquoted(word) for word in words]
    while rest:
        head = rest[0]
        if _ASSIGNMENT.match(head) or head in {"!", "then", "do"}:
            rest = rest[1:]
        elif head in _WRAPPERS and len(rest) > 1:
            rest = _inside(rest)
        else:
            break
    if not rest or rest[0] in _KEYWORDS:
        return None
    name = rest[0].rsplit("/", 1)[-1]
    if not _PROGRAM.fullmatch(name):
        return None
    return Command(name, tuple(rest[1:]), before)


def _inside(words: list[str]) -> list[str]:
    """What a wrapper such as `sudo -n` or `timeout 30` runs."""
    rest = words[1:]
    while rest and (rest[0].startswith("-") or rest[0][:1].isdigit()):
        rest = rest[1:]
    return rest


def _unquoted(word: str) -> str:
    return _PIECE.sub(lambda piece: piece[1] or piece[2] or piece[3] or "", word)
