"""No public name or parameter changes unnoticed."""

from __future__ import annotations

import difflib

from tests.api.snapshot import FILE, text


def test_the_public_interface_is_as_listed() -> None:
    before, now = FILE.read_text(encoding="utf-8"), text()
    changes = [
        line
        for line in difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=0)
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert not changes, (
        "tell in CHANGELOG.md, then run python -m tests.api.snapshot:\n" + "\n".join(changes)
    )
