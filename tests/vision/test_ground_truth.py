from __future__ import annotations

import h5py
import numpy as np
import pytest
from scipy.io import savemat
from skimage.io import imsave

from multicut.vision import read_ground_truth

LABELS = np.array([[0, 0, 3], [0, 2, 3]], dtype=np.uint16)


def write_berkeley(path, segmentations):
    content = np.empty((1, len(segmentations)), dtype=object)
    for k, one in enumerate(segmentations):
        content[0, k] = {"Segmentation": one, "Boundaries": np.zeros(one.shape, np.uint8)}
    savemat(path, {"groundTruth": content})


def test_berkeley_files_hold_all_people(tmp_path):
    path = tmp_path / "1_gt.mat"
    write_berkeley(path, [LABELS, LABELS + 1])
    one, other = read_ground_truth(path)
    assert np.array_equal(one, LABELS)
    assert np.array_equal(other, LABELS + 1)
    assert one.dtype == np.int64


@pytest.mark.parametrize("suffix", [".png", ".tif", ".npy", ".h5"])
def test_label_images(tmp_path, suffix):
    path = tmp_path / f"truth{suffix}"
    if suffix == ".npy":
        np.save(path, LABELS)
    elif suffix == ".h5":
        with h5py.File(path, "w") as file:
            file["inside/labels"] = LABELS
    else:
        imsave(path, LABELS, check_contrast=False)
    (found,) = read_ground_truth(path)
    assert np.array_equal(found, LABELS)


def test_colours_are_segments(tmp_path):
    path = tmp_path / "truth.png"
    colours = np.array([[[255, 0, 0], [255, 0, 1]], [[255, 0, 0], [0, 0, 255]]], dtype=np.uint8)
    imsave(path, colours, check_contrast=False)
    (found,) = read_ground_truth(path)
    assert found[0, 0] == found[1, 0]
    assert len(np.unique(found)) == 3


def test_hdf5_datasets_have_names(tmp_path):
    path = tmp_path / "truth.h5"
    with h5py.File(path, "w") as file:
        file["gt"] = LABELS
        file["raw"] = LABELS.astype(float)
    assert np.array_equal(read_ground_truth(path, "gt")[0], LABELS)
    with pytest.raises(ValueError, match="holds the datasets gt, raw; name one"):
        read_ground_truth(path)
    with pytest.raises(ValueError, match="no dataset 'seg', only the datasets gt, raw"):
        read_ground_truth(path, "seg")
    with pytest.raises(ValueError, match="labels must be integers, got float64"):
        read_ground_truth(path, "raw")


@pytest.mark.parametrize("name", ["a.mat", "a.h5", "a.npy", "a.png"])
def test_damaged_files_give_one_line(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\x00not what it seems" * 20)
    with pytest.raises(ValueError, match=name) as caught:
        read_ground_truth(path)
    assert "\n" not in str(caught.value)


def test_other_mistakes_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.png"):
        read_ground_truth(tmp_path / "none.png")
    savemat(tmp_path / "other.mat", {"x": np.ones(3)})
    with pytest.raises(ValueError, match="no variable groundTruth"):
        read_ground_truth(tmp_path / "other.mat")
    np.save(tmp_path / "line.npy", np.arange(3))
    with pytest.raises(ValueError, match=r"an image or a volume, got \(3,\)"):
        read_ground_truth(tmp_path / "line.npy")
    with pytest.raises(ValueError, match="hold no dataset 'x'"):
        read_ground_truth(tmp_path / "line.npy", "x")
