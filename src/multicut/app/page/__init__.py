"""The page in Gradio: its components, the events they trigger, and what it then shows."""

from multicut.app.page.page import Page

__all__ = ["Page"]
