"""YAML that reads back as what was written: every text in double quotes, no cleverness.

Unquoted, `no`, `1.10`, `a: b` or `#open` would be read as something else or cut the file short.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml

_PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z_-]*")


class _Quoted(yaml.SafeDumper):
    """Texts quoted, keys plain where they are words, nothing folded, no anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_mapping(tag, mapping, flow_style)
        for key, _ in node.value:
            if _PLAIN.fullmatch(key.value):
                key.style = None
        return node


def _text(dumper: _Quoted, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"')


_Quoted.add_representer(str, _text)


def document(value: Mapping[str, Any]) -> str:
    """A mapping (text, numbers, lists, mappings) as YAML in the given order, reading back equal."""
    return yaml.dump(
        dict(value),
        Dumper=_Quoted,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=2**31,
    )


def front_matter(value: Mapping[str, Any]) -> str:
    """A mapping between two lines of dashes, as a skill begins."""
    return f"---\n{document(value)}---\n"
