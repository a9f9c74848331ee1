"""Proofreading on the page: what a visitor corrects, and the pictures of it."""

from multicut.app.proofs.desk import Desk, open_desk

__all__ = ["Desk", "open_desk"]
