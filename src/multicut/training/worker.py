"""``python -m multicut.training.worker``: one of several runs side by side."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from multicut.training.config import TrainingConfig
from multicut.training.runner import train


def main() -> None:
    """Train as a file with all settings says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("settings", type=Path)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--restart", action="store_true")
    arguments = parser.parse_args()
    config = TrainingConfig.from_dict(json.loads(arguments.settings.read_text()))
    train(config, time_limit=arguments.time_limit, restart=arguments.restart)


if __name__ == "__main__":
    main()
