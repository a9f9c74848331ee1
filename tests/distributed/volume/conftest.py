from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch):
    """Leave out what protects against a loss of power: it takes most of the time of small tests."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
