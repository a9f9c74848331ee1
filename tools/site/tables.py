"""Measured numbers of README.md and docs/, from the files that the benchmarks wrote.

``python tools/site/tables.py`` brings the pages up to date; a test compares them. What stands on
which page is in `measured/registry.py`.
"""

from __future__ import annotations

import re

from measured.formats import RESULTS, ROOT
from measured.registry import PAGES, SENTENCES, TABLES, numbers

__all__ = [
    "PAGES",
    "RESULTS",
    "ROOT",
    "SENTENCES",
    "TABLES",
    "numbers",
    "sentence_pattern",
    "with_numbers",
]


def with_numbers(page: str) -> str:
    """Return the text of a page with its tables and sentences as they were measured."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for header, rows in TABLES.get(page, {}).items():
        start = text.index(f"{header}\n|---") + len(header) + 1
        start = text.index("\n", start) + 1
        end = text.index("\n\n", start)
        text = text[:start] + "\n".join(rows()) + text[end:]
    for sentence in SENTENCES.get(page, ()):
        text = _with_sentence(text, sentence, page)
    return text


def _with_sentence(text: str, sentence: str, page: str) -> str:
    found = sentence_pattern(sentence).search(text)
    if found is None:
        raise ValueError(f"{page} lacks the sentence {sentence!r}")
    values = numbers()
    for position, name in reversed(list(enumerate(_NAME.findall(sentence), 1))):
        if found[position].split() != values[name].split():
            text = text[: found.start(position)] + values[name] + text[found.end(position) :]
    return text


_NAME = re.compile(r"\{(.*?)\}")
# A number, or an objective "in" some seconds.
_NUMBER = r"(\N{MINUS SIGN}?\d(?:[\d,.]*\d)?(?:\s+in\s+\d[\d.]*\s+m?s)?)"


def sentence_pattern(sentence: str) -> re.Pattern[str]:
    """Return what finds a sentence on a page, whatever its numbers are."""
    literal = [r"\s+".join(map(re.escape, part.split(" "))) for part in _NAME.split(sentence)[::2]]
    return re.compile(_NUMBER.join(literal))


if __name__ == "__main__":
    for name in PAGES:
        (ROOT / name).write_text(with_numbers(name), encoding="utf-8")
