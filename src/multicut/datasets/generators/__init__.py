"""Families of random problems: one module each, found by name in one registry."""

from multicut.datasets.generators.graph import GeneratedGraph
from multicut.datasets.generators.record import GeneratorRecord
from multicut.datasets.generators.registry import get_generator, list_generators

__all__ = ["GeneratedGraph", "GeneratorRecord", "get_generator", "list_generators"]
