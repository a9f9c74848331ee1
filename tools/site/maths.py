"""Formulas: from LaTeX to MathML while the site is built, so that readers need no script."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

# What pymdownx.arithmatex leaves of $…$ and $$…$$.
_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)

# Characters that most fonts have, in place of those that only fonts for mathematics have.
_CHARACTERS = {
    "<mi>&#x029F5;</mi>": "<mo>&#x2216;</mo>",  # set minus
    '<mo accent="true">&#x02015;</mo>': '<mo stretchy="true">&#x203E;</mo>',  # line above
}

# min and max carry what stands below them at their right; it belongs underneath.
_LIMIT = re.compile(r"<msub>(<mo>(?:min|max)</mo>)(.*?)</msub>(?=<mspace|<munder|<msub)")


def render_maths(page: str, name: str) -> str:
    """Replace the formulas of a page; an unknown command is an error that names the page."""
    page = _BLOCK.sub(lambda found: _mathml(found[1], "block", name), page)
    return _INLINE.sub(lambda found: _mathml(found[1], "inline", name), page)


def _mathml(escaped: str, display: str, name: str) -> str:
    latex = html.unescape(escaped).strip()
    mathml = convert(latex, display=display)
    if unknown := re.search(r"\\[A-Za-z]+", mathml):
        raise ValueError(f"{name}: {unknown[0]} in the formula {latex!r} is not understood")
    for theirs, ours in _CHARACTERS.items():
        mathml = mathml.replace(theirs, ours)
    if display == "block":
        mathml = _LIMIT.sub(r"<munder>\1\2</munder>", mathml)
        return f'<div class="formula">{mathml}</div>'
    return mathml
