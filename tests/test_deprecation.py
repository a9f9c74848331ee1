"""What is going to be removed works, and warns where it is used."""

from __future__ import annotations

import pytest

from multicut._deprecation import deprecated, warn_deprecated


@deprecated(instead="new()", removed_in="0.3")
def old(number: int, factor: int = 2) -> int:
    """Return a multiple."""
    return number * factor


def test_a_function_works_and_names_its_replacement():
    with pytest.warns(DeprecationWarning, match="^old") as caught:
        assert old(3, factor=5) == 15
    assert [str(one.message) for one in caught] == [
        "old() is deprecated, and version 0.3 removes it; use new()"
    ]
    assert caught[0].filename == __file__
    assert (old.__name__, old.__doc__) == ("old", "Return a multiple.")


def test_a_warning_is_about_the_line_of_the_user():
    def public() -> None:
        warn_deprecated("the option 'rounds'", instead="'max_rounds'", removed_in="0.3")

    with pytest.warns(DeprecationWarning, match="use 'max_rounds'$") as caught:
        public()
    assert caught[0].filename == __file__
