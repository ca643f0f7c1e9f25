"""Taking recorded command lines apart."""

from hypothesis import given
from hypothesis import strategies as st

from dream.detector import named
from dream.shell import Command, commands


def programs(line: str) -> list[str]:
    return [command.program for command in commands(line)]


def test_every_program_of_a_chain_is_found_in_order() -> None:
    line = "cd /repo && npm ci; FOO=1 npx tsc --noEmit 2>&1 | head -20 || echo failed &"
    assert programs(line) == ["cd", "npm", "npx", "head", "echo"]
    assert [c.before for c in commands(line)] == ["", "&&", ";", "|", "||"]


def test_quotes_go_and_operators_inside_them_stay() -> None:
    found = commands("""git commit -m "a && b; c" --no-verify 'x | y'""")
    assert found == (Command("git", ("commit", "-m", "a && b; c", "--no-verify", "x | y")),)
    assert found[0].flags() == {"-m", "--no-verify"}


def test_a_wrapper_is_looked_through() -> None:
    assert programs("sudo -n apt-get install jq") == ["apt-get"]
    assert programs("timeout 30 go test ./...") == ["go"]
    assert programs("env A=1 B=2 /usr/local/bin/pnpm add left") == ["pnpm"]


def test_a_here_document_is_text_and_not_commands() -> None:
    line = "cat <<'EOF' > notes.md\nnpm install\nrm -rf build\nEOF\ngit add notes.md"
    assert programs(line) == ["cat", "git"]


def test_comments_redirections_and_bare_assignments_call_nothing() -> None:
    assert programs("# npm install\nA=1\nls > npm 2>/dev/null") == ["ls"]
    assert commands("ls > out.txt")[0].arguments == ()


def test_a_substitution_stays_inside_its_word() -> None:
    assert commands("echo $(git rev-parse HEAD)/x")[0].arguments == ("$(git rev-parse HEAD)/x",)


def test_control_words_are_no_programs() -> None:
    assert programs("for f in *.py; do ruff check $f; done") == ["ruff"]
    assert programs("if test -f a; then make; fi") == ["make"]


@given(st.text(alphabet=st.sampled_from(list("ab '\"\\;|&<>()$#\n-=/1EOF")), max_size=80))
def test_any_text_is_read_without_an_error_and_programs_are_plain_names(line: str) -> None:
    for command in commands(line):
        assert command.program
        assert not set(command.program) & set(" '\"\\;|&<>()$\n/")


def test_unbalanced_quotes_cost_linear_time() -> None:
    assert commands("echo " + "\"'" * 5000)[0].program == "echo"


def test_the_value_of_an_option_is_no_verb() -> None:
    def verbs(line: str) -> tuple[str, ...]:
        return commands(line)[0].verbs()

    assert verbs("uv run --directory api pytest -q") == ("run", "pytest")
    assert verbs("git -C ../shop -c core.pager=cat push origin main") == ("push", "origin", "main")
    assert verbs("pnpm --filter web run build") == ("run", "build")
    assert verbs("npm install --save-dev left") == ("install", "left")
    assert verbs("ls -l folder") == ("folder",)


def test_a_program_alone_has_no_verb_and_is_named_by_itself() -> None:
    lines = ("git", "npm --version", "git push", "npm run lint", "python3 -m pytest")
    names = [named(command) for line in lines for command in commands(line)]
    assert names == ["git", "npm", "git push", "npm run lint", "python3 -m pytest"]
