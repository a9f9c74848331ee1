from __future__ import annotations

import json

import numpy as np
import pytest

from multicut.datasets import Dataset, IrisMP, Job, RandomMP, generate, run_job
from multicut.datasets.shipped import FOLDER, SIZES, load_labels, save_labels
from multicut.io import FormatError
from tools.ship_labels import main, ship


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Labels of a few graphs, as `make labels` would write those of all."""
    root = tmp_path_factory.mktemp("labels")
    for generator, num in (("randommp", 4), ("irismp", 9)):
        run_job(Job(generator, num=num, split="test", solver="ilp"), root / generator)
        ship(root / generator, root)
    return root


def test_labels_come_back_with_their_graphs(made):
    for kind, generator in ((RandomMP, "randommp"), (IrisMP, "irismp")):
        labelled = kind("test", folder=made)
        original = Dataset.load(made / generator)
        assert isinstance(labelled, Dataset)
        assert labelled.optimal.all()
        assert labelled.names == original.names
        assert labelled.info == original.info
        for name, array in original.arrays().by_name().items():
            assert np.array_equal(labelled.arrays().by_name()[name], array), name
        assert len(labelled[1:3]) == 2


def alter(path, **changes):
    with np.load(path) as archive:
        members = dict(archive)
    header = json.loads(members["header"].tobytes())
    header |= {key: changes.pop(key) for key in list(changes) if key in header}
    members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    for name, change in changes.items():
        members[name] = change(members[name])
    altered = path.with_name("altered.npz")
    np.savez(altered, **members)
    return altered


def test_mismatches_are_loud(made):
    path = made / "randommp-test.npz"
    with pytest.raises(FormatError, match="are not those that were labelled; please report this"):
        load_labels(alter(path, fingerprint="0" * 64))

    def flip(bits):
        bits = bits.copy()
        bits[3] ^= 16
        return bits

    with pytest.raises(ValueError, match="the labels do not match the graphs"):
        load_labels(alter(path, cut=flip))
    with pytest.raises(FormatError, match="its arrays do not fit its header"):
        load_labels(alter(path, objective=lambda values: values[1:]))
    with pytest.raises(FormatError, match="must have format 'multicut-labels' and version 1"):
        load_labels(alter(path, version=9))
    path = made / "broken.npz"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(FormatError, match="not a readable label file"):
        load_labels(path)


def test_another_stream_is_noticed(made, monkeypatch):
    import multicut.datasets.generators.stream as stream

    monkeypatch.setattr(stream, "SPLITS", ("test", "train", "valid"))
    with pytest.raises(FormatError, match="are not those that were labelled"):
        IrisMP("test", folder=made)


def test_missing_labels_are_named(made):
    with pytest.raises(FileNotFoundError, match="there are no labels; pass labelled=False"):
        RandomMP("valid", folder=made)
    with pytest.raises(ValueError, match="split must be one of train, valid, test"):
        RandomMP("eval")


def test_graphs_alone():
    graphs = IrisMP("valid", labelled=False)
    assert len(graphs) == SIZES["valid"]
    assert not graphs.labelled.any()


def test_only_proven_labels_ship(tmp_path):
    run_job(Job("irismp", num=2, split="test", solver="gaec"), tmp_path / "greedy")
    with pytest.raises(ValueError, match="2 of 2 graphs lack a proven optimum"):
        ship(tmp_path / "greedy", tmp_path)
    with pytest.raises(ValueError, match="must be generated and labelled throughout"):
        save_labels(generate("irismp", 2), tmp_path)


def test_command(made, tmp_path, capsys):
    assert main([str(made / "irismp"), "-o", str(tmp_path / "labels")]) == 0
    assert (tmp_path / "labels" / "irismp-test.npz").read_bytes() == (
        made / "irismp-test.npz"
    ).read_bytes()
    assert "irismp-test.npz" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.npz")), ids=lambda path: path.stem)
def test_labels_of_the_package_fit_here(path):
    dataset = load_labels(path)
    assert len(dataset) == SIZES[dataset.info["generator"]["split"]]
    assert dataset.optimal.all()


def test_any_damaged_byte_of_a_label_file_is_loud(made):
    whole = (made / "irismp-test.npz").read_bytes()
    path, complaints = made / "damaged.npz", []
    for place in [*range(40), *range(60, len(whole), len(whole) // 60)]:
        damaged = bytearray(whole)
        damaged[place] ^= 0x2A
        path.write_bytes(damaged)
        try:
            load_labels(path)
        except (FormatError, ValueError) as error:
            complaints.append(str(error))
    assert len(complaints) > 40
    assert all("damaged.npz" in complaint for complaint in complaints)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match="not a readable label file"):
        load_labels(path)


def test_label_headers_must_say_enough(made):
    path = made / "irismp-test.npz"
    with np.load(path) as archive:
        members = dict(archive)
    header = json.loads(members["header"].tobytes())
    del header["fingerprint"]
    for content, message in (
        (header, "its header lacks fingerprint"),
        ([1], "must have format 'multicut-labels'"),
    ):
        members["header"] = np.frombuffer(json.dumps(content).encode(), np.uint8)
        np.savez(made / "altered.npz", **members)
        with pytest.raises(FormatError, match=message):
            load_labels(made / "altered.npz")
    with pytest.raises(FormatError, match="its arrays do not fit its header"):
        load_labels(alter(path, excess=lambda values: values[:1]))
