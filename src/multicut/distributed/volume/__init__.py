"""Volumes that do not fit into memory, segmented block by block, from files to files."""

from multicut.distributed.volume.report import BlockwiseReport, StageReport
from multicut.distributed.volume.segment import segment_blockwise

__all__ = ["BlockwiseReport", "StageReport", "segment_blockwise"]
