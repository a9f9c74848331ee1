"""Images and volumes: reading what people have drawn, and what segmentations are worth."""

from multicut.vision.ground_truth import read_ground_truth
from multicut.vision.scores import Scores, evaluate

__all__ = ["Scores", "evaluate", "read_ground_truth"]
