"""Lightning, under whichever of its two names it is installed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from multicut._extras import is_installed, needed

if not is_installed("pytorch_lightning"):
    needed("lightning", by="training")

try:
    from lightning.pytorch import Callback, LightningModule, Trainer
    from lightning.pytorch.loggers import TensorBoardLogger
except ImportError:  # the same code, where only its older package is installed
    from pytorch_lightning import (  # type: ignore[assignment]
        Callback,
        LightningModule,
        Trainer,
    )
    from pytorch_lightning.loggers import TensorBoardLogger  # type: ignore[assignment]

__all__ = ["Callback", "LightningModule", "TensorBoardLogger", "Trainer", "quiet"]


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Lightning's advice, which is about things done here on purpose, off the screen."""
    names = ("lightning.pytorch", "lightning.fabric", "pytorch_lightning", "lightning_fabric")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"(lightning|pytorch_lightning)\..*")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
