"""The web page: upload an image or a problem, choose a solver, look at the result.

``page`` lays it out and ``server`` serves it, both with Gradio, which the extra ``multicut[app]``
brings; everything else is plain functions from inputs to pictures and tables.
"""

from multicut._extras import needed
from multicut.app.limits import AppLimits

needed("gradio", "matplotlib", "PIL", "skimage", by="the web page", extra="app")

__all__ = ["AppLimits", "serve"]


def __getattr__(name: str) -> object:
    """Import what needs Gradio when it is first used."""
    if name == "serve":
        from multicut.app.server import serve

        return serve
    raise AttributeError(f"module 'multicut.app' has no attribute {name!r}")
