"""Every table and figure of Jung & Keuper (ECML PKDD 2022) beside ours, in parts that resume."""

from paper.page import write_page
from paper.parts import PARTS, Part, measure_parts
from paper.settings import PaperSettings

__all__ = ["PARTS", "PaperSettings", "Part", "measure_parts", "write_page"]
