"""Tables of docs/volumes.md, from `blockwise.json`."""

from __future__ import annotations

from measured.formats import read


def volume_rows() -> list[str]:
    """Return objectives, gaps and scores of block-wise segmentation, by size of blocks."""
    lines = []
    for row in read("blockwise.json")["quality"]:
        cells = (
            f"{row['block']}³",
            str(row["halo"]),
            str(row["levels"]),
            f"{row['num_regions']:,}",
            f"{row['ratio']:.4f}",
            f"{100 * row['gap']:.2f} %",
            f"{row['top_nodes']:,}",
            f"{row['rand_error_near']:.4f}",
            f"{row['rand_error_elsewhere']:.4f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def engine_rows() -> list[str]:
    """Return the speed of the steps of a watershed by two packages."""
    speeds = read("blockwise.json")["engines"]["voxels_per_processor_second"]
    steps = (
        ("watershed", "watershed, scikit-image"),
        ("distance transform", "distances, scipy"),
        ("all of `BoundaryWatershed`", "superpixels, scikit-image"),
    )
    return [
        f"| {title} | {speeds[slow] / 1e6:.1f} "
        f"| {speeds[slow.partition(',')[0] + ', bioimage-cpp'] / 1e6:.1f} |"
        for title, slow in steps
    ]


def stage_rows() -> list[str]:
    """Return the speed and the memory of each stage that reads voxels, of the largest volume."""
    largest = max(read("blockwise.json")["speed"].items(), key=lambda item: int(item[0]))[1]
    return [
        f"| {name} | {stage['voxels'] / stage['processor_seconds'] / 1e6:.1f} "
        f"| {stage['peak_memory'] / 2**30:.2f} |"
        for name, stage in largest["report"]["stages"].items()
        if stage["voxels"]
    ]


def estimate_rows() -> list[str]:
    """Return estimates of ``--dry-run`` and what was measured then."""
    lines = []
    for row in sorted(read("blockwise.json")["model"], key=lambda row: row["length"]):
        seconds, memory = row["processor_seconds"], [each / 2**30 for each in row["peak_memory"]]
        regions, nodes = row["regions"], row["top_nodes"]
        cells = (
            f"{row['length']}³",
            f"{seconds[0]:.1f} / {seconds[1]:.1f}",
            f"{memory[0]:.2f} / {memory[1]:.2f}",
            f"{regions[0]:,} / {regions[1]:,}",
            f"{nodes[0]:,} / {nodes[1]:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def worker_rows() -> list[str]:
    """Return seconds of parallel stages with one worker and with two, the best of two runs each."""
    runs = read("blockwise.json")["workers"]
    best = {
        (number, stage): min(run["seconds"][stage] for run in runs if run["workers"] == number)
        for number in (1, 2)
        for stage in runs[0]["seconds"]
    }
    return [
        f"| {stage} | {best[1, stage]:.1f} | {best[2, stage]:.1f} "
        f"| {best[1, stage] / best[2, stage]:.2f} |"
        for stage in runs[0]["seconds"]
    ]


def volume_numbers() -> dict[str, str]:
    """Return what the largest volume took."""
    run = read("blockwise.json")["speed"]["1024"]
    return {
        "seconds of voxels": f"{run['seconds_of_this_call']:.0f}",
        "regions of voxels": f"{run['report']['num_regions']:,}",
        "segments of voxels": f"{run['report']['num_segments']:,}",
        "gap of voxels": f"{100 * run['report']['gap']:.2f}",
    }
