"""The demonstration: every solver on a few problems, as a table and as a picture."""

from multicut.demo.comparison import Row, compare, load_networks
from multicut.demo.entrants import SECONDS, Entrant, list_entrants
from multicut.demo.instances import Example, make_examples
from multicut.demo.picture import draw_picture

__all__ = [
    "SECONDS",
    "Entrant",
    "Example",
    "Row",
    "compare",
    "draw_picture",
    "list_entrants",
    "load_networks",
    "make_examples",
]
