"""The demonstration: every solver on a few problems, as a table and as a picture."""

from multicut.demo.comparison import Row, compare
from multicut.demo.instances import Example, make_examples
from multicut.demo.picture import draw_picture

__all__ = ["Example", "Row", "compare", "draw_picture", "make_examples"]
