"""What is written to a file comes back from it; damage and mistakes are named in one line."""

from __future__ import annotations

import re
import struct
import sys

import h5py
import numpy as np
import pytest
import tifffile
from PIL import Image

from multicut import vision

LABELS = np.arange(12).reshape(3, 4)
VOLUME = np.arange(30).reshape(2, 3, 5)
ENDINGS = [".png", ".tif", ".h5", ".npy", ".npz", ".zarr", ".n5"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_labels_come_back(tmp_path, ending):
    path = tmp_path / f"labels{ending}"
    vision.write_labels(path, LABELS)
    np.testing.assert_array_equal(vision.read_image(path), LABELS)


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_volumes_come_back(tmp_path, ending):
    path = tmp_path / f"labels{ending}"
    vision.write_labels(path, VOLUME)
    np.testing.assert_array_equal(vision.read_volume(path), VOLUME)


@pytest.mark.parametrize("ending", [".h5", ".npz", ".zarr", ".n5"])
def test_datasets_have_names(tmp_path, ending):
    path = str(tmp_path / f"labels{ending}")
    vision.write_labels(f"{path}:some/name", VOLUME)
    np.testing.assert_array_equal(vision.read_image(f"{path}:some/name"), VOLUME)
    np.testing.assert_array_equal(vision.read_image(path, "some/name"), VOLUME)
    np.testing.assert_array_equal(vision.read_image(path), VOLUME)
    with pytest.raises(ValueError, match="has no dataset 'other', only the dataset some/name"):
        vision.read_image(path, "other")


@pytest.mark.parametrize("ending", [".h5", ".zarr", ".n5"])
def test_files_keep_their_other_datasets(tmp_path, ending):
    path = str(tmp_path / f"labels{ending}")
    vision.write_image(path, VOLUME, "first")
    vision.write_image(path, LABELS, "second")
    vision.write_image(path, LABELS + 1, "second")
    np.testing.assert_array_equal(vision.read_image(path, "first"), VOLUME)
    np.testing.assert_array_equal(vision.read_image(path, "second"), LABELS + 1)
    with pytest.raises(ValueError, match=r"holds the datasets first, second; name one, as in"):
        vision.read_image(path)


@pytest.mark.parametrize("ending", [".webp", ".bmp"])
def test_pictures_of_other_programs_are_read(tmp_path, ending):
    picture = np.full((16, 24, 3), (200, 100, 50), dtype=np.uint8)
    options = {"lossless": True} if ending == ".webp" else {}
    Image.fromarray(picture).save(tmp_path / f"picture{ending}", **options)
    np.testing.assert_array_equal(vision.read_image(tmp_path / f"picture{ending}"), picture)


def test_labels_in_png_look_different_and_come_back(tmp_path):
    labels = np.arange(256).reshape(16, 16)
    vision.write_labels(tmp_path / "labels.png", labels)
    np.testing.assert_array_equal(vision.read_image(tmp_path / "labels.png"), labels)
    with Image.open(tmp_path / "labels.png") as picture:
        np.testing.assert_array_equal(np.asarray(picture), labels)
        colours = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    assert len(np.unique(colours, axis=0)) == 256
    # Neighbours in number, which are often neighbours in the image, are far apart.
    assert np.abs(np.diff(colours.astype(int), axis=0)).sum(axis=1).min() > 150


def test_the_outside_is_black(tmp_path):
    vision.write_labels(tmp_path / "labels.png", [[-1, 0], [1, 2]])
    with Image.open(tmp_path / "labels.png") as picture:
        colours = np.asarray(picture.convert("RGB"))
    assert colours[0, 0].tolist() == [0, 0, 0]
    assert (colours.reshape(-1, 3)[1:].sum(axis=1) > 100).all()


def test_colours_of_other_pictures_with_a_palette_are_read(tmp_path):
    picture = Image.frombytes("P", (2, 1), bytes([0, 1]))
    picture.putpalette([10, 20, 30, 200, 100, 50])
    picture.save(tmp_path / "drawing.png")
    found = vision.read_image(tmp_path / "drawing.png")
    assert found[..., :3].tolist() == [[[10, 20, 30], [200, 100, 50]]]


@pytest.mark.parametrize("ending", [".png", ".tif", ".jpg"])
def test_colour_pictures_come_back(tmp_path, ending):
    picture = np.full((16, 24, 3), (200, 100, 50), dtype=np.uint8)
    vision.write_image(tmp_path / f"picture{ending}", picture)
    back = vision.read_image(tmp_path / f"picture{ending}")
    assert back.shape == picture.shape
    assert np.abs(back.astype(int) - picture).max() <= 3  # JPEG is lossy


def test_labels_take_the_smallest_type_that_holds_them(tmp_path):
    vision.write_labels(tmp_path / "small.png", LABELS)
    vision.write_labels(tmp_path / "large.png", LABELS + 300)
    assert vision.read_image(tmp_path / "small.png").dtype == np.uint8
    assert vision.read_image(tmp_path / "large.png").dtype == np.uint16
    np.testing.assert_array_equal(vision.read_image(tmp_path / "large.png"), LABELS + 300)
    with pytest.raises(ValueError, match="holds labels up to 65535, got 70011"):
        vision.write_labels(tmp_path / "huge.png", LABELS + 70000)


def test_the_outside_is_zero_where_a_format_has_no_negative_numbers(tmp_path):
    vision.write_labels(tmp_path / "labels.png", LABELS - 1)
    np.testing.assert_array_equal(vision.read_image(tmp_path / "labels.png"), LABELS)
    vision.write_labels(tmp_path / "labels.npy", LABELS - 1)
    np.testing.assert_array_equal(vision.read_image(tmp_path / "labels.npy"), LABELS - 1)


def test_version_3_of_zarr_is_read(tmp_path):
    import tensorstore

    spec = {
        "driver": "zarr3",
        "kvstore": {"driver": "file", "path": str(tmp_path / "new.zarr" / "raw")},
    }
    options = {"dtype": "uint16", "shape": VOLUME.shape, "create": True}
    tensorstore.open(spec, **options).result().write(VOLUME.astype(np.uint16)).result()
    np.testing.assert_array_equal(vision.read_image(f"{tmp_path}/new.zarr:raw"), VOLUME)


def test_photographs_are_turned_as_they_were_held(tmp_path):
    from PIL import Image

    picture = Image.fromarray(np.zeros((10, 20, 3), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    picture.save(tmp_path / "photo.jpg", exif=exif)
    assert vision.read_image(tmp_path / "photo.jpg").shape == (20, 10, 3)


@pytest.mark.parametrize("ending", [".png", ".jpg", ".tif", ".h5", ".npy", ".npz"])
def test_damaged_files_are_named(tmp_path, ending):
    path = tmp_path / f"bad{ending}"
    path.write_bytes(b"this is not what it says")
    with pytest.raises(ValueError, match=rf"bad\{ending}: (cannot be read|not an)") as caught:
        vision.read_image(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_files_are_named(tmp_path, ending):
    path = tmp_path / f"missing{ending}"
    kind = "folder" if ending in (".zarr", ".n5") else "file"
    with pytest.raises(FileNotFoundError, match=f"^{re.escape(str(path))}: no such {kind}$"):
        vision.read_image(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("labels.jpg", "files of jpeg cannot hold labels"),
        ("labels.bmp", "files of bmp cannot hold labels"),
        ("labels.webp", "files of webp cannot hold labels"),
        ("labels.gif", "unknown kind of file"),
        ("labels.png:name", "unknown kind of file"),
        ("no/such/folder.png", "there is no folder"),
        ("no/such/folder.zarr", "there is no folder"),
    ],
)
def test_labels_that_cannot_be_written(tmp_path, name, message):
    with pytest.raises((ValueError, OSError), match=message):
        vision.write_labels(tmp_path / name, LABELS)


@pytest.mark.parametrize("ending", [".zarr", ".n5"])
@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("", "'labels' is not an array but holds others"),
        (":labels/one/two", "is an array itself"),
        (":../precious", "cannot be called '../precious'"),
        (":labels/../../precious", "cannot be called"),
    ],
)
def test_nothing_but_the_array_of_that_name_is_replaced(tmp_path, ending, dataset, message):
    precious = tmp_path / "precious" / "file.txt"
    precious.parent.mkdir()
    precious.write_text("do not delete")
    for name in ("one", "two"):
        vision.write_labels(f"{tmp_path}/store{ending}:labels/{name}", LABELS)
    with pytest.raises(ValueError, match=message):
        vision.write_labels(f"{tmp_path}/store{ending}{dataset}", LABELS + 1)
    assert precious.read_text() == "do not delete"
    for name in ("one", "two"):
        found = vision.read_image(f"{tmp_path}/store{ending}:labels/{name}")
        np.testing.assert_array_equal(found, LABELS)
    vision.write_labels(f"{tmp_path}/store{ending}:labels/one", LABELS + 1)
    found = vision.read_image(f"{tmp_path}/store{ending}:labels/one")
    np.testing.assert_array_equal(found, LABELS + 1)


def test_four_inks_are_not_colours_with_alpha(tmp_path):
    red = Image.new("RGB", (8, 6), (254, 0, 0))
    red.convert("CMYK").save(tmp_path / "inks.jpg", quality=100)
    found = vision.read_image(tmp_path / "inks.jpg")
    assert found.shape == (6, 8, 3)
    np.testing.assert_allclose(found[0, 0], (254, 0, 0), atol=3)


def test_grey_is_blended_with_white(tmp_path):
    pixels = np.array([[[0, 255], [0, 0], [100, 51]]], dtype=np.uint8)
    Image.fromarray(pixels, "LA").save(tmp_path / "grey.png")
    assert vision.read_image(tmp_path / "grey.png").tolist() == [[0, 255, 224]]


@pytest.mark.parametrize("ending", [".png", ".tif"])
def test_labels_are_never_changed_to_fit_a_file(tmp_path, ending):
    path = tmp_path / f"labels{ending}"
    with pytest.raises(ValueError, match="holds no labels below -1, got -5"):
        vision.write_labels(path, [[-5, 1]])
    with pytest.raises(TypeError, match="labels must be integers, got float64"):
        vision.write_labels(path, [[0.5, 1]])
    assert not path.exists()
    vision.write_labels(path, np.array([[-1, 127]], dtype=np.int8))
    assert vision.read_image(path).tolist() == [[0, 128]]


def test_odd_content(tmp_path):
    np.save(tmp_path / "text.npy", np.array(["a", "b"]))
    with pytest.raises(ValueError, match="must contain numbers"):
        vision.read_image(tmp_path / "text.npy")
    vision.write_labels(tmp_path / "flat.npy", LABELS)
    with pytest.raises(ValueError, match=r"a volume has three axes, got shape \(3, 4\)"):
        vision.read_volume(tmp_path / "flat.npy")
    with pytest.raises(ValueError, match="is not a picture"):
        vision.write_image(tmp_path / "volume.png", VOLUME.astype(np.uint8))
    with h5py.File(tmp_path / "empty.h5", "w"):
        pass
    with pytest.raises(ValueError, match="holds no dataset"):
        vision.read_image(tmp_path / "empty.h5")


def test_without_tensorstore_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorstore", None)
    with pytest.raises(ImportError, match=r'needs tensorstore.*"multicut\[zarr\]"$'):
        vision.write_labels(tmp_path / "labels.zarr", LABELS)


def test_shapes_that_a_file_cannot_hold_are_refused(tmp_path):
    """A few kB must not ask for as much memory as they please."""
    path = tmp_path / "volume.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("labels", (10**6, 10**6), "u8", chunks=(64, 64), compression="gzip")
    with pytest.raises(ValueError, match="is more than the file can hold"):
        vision.read_image(path)

    array = tmp_path / "volume.npy"
    np.save(array, np.zeros(4))
    array.write_bytes(array.read_bytes().replace(b"(4,), }" + b" " * 9, b"(4000000000,), }"))
    with pytest.raises(ValueError, match=r"shape \(4000000000,\) of float64 is more than"):
        vision.read_image(array)

    picture = tmp_path / "volume.tif"
    vision.write_image(picture, np.zeros((4, 4), dtype=np.uint8))
    with tifffile.TiffFile(picture, mode="r+b") as file:
        file.pages[0].tags["ImageLength"].overwrite(2**31 - 1)
    with pytest.raises(ValueError, match="is more than the file can hold"):
        vision.read_image(picture)


@pytest.mark.parametrize("is_big", [False, True])
def test_tiff_pages_that_never_end(tmp_path, is_big):

    # Two pages without any tag, each of which names the other as the next.
    path = tmp_path / "loop.tif"
    if is_big:
        pages = struct.pack("<QQQQ", 0, 32, 0, 16)
        path.write_bytes(struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16) + pages)
    else:
        pages = struct.pack("<HIHI", 0, 14, 0, 8)
        path.write_bytes(struct.pack("<2sHI", b"II", 42, 8) + pages)
    with pytest.raises(ValueError, match="page 2 leads back to an earlier one"):
        vision.read_image(path)


def test_many_pages(tmp_path):

    stack = np.arange(5 * 4 * 6, dtype=np.uint16).reshape(5, 4, 6)
    for is_big in (False, True):
        path = tmp_path / f"stack-{is_big}.tif"
        with tifffile.TiffWriter(path, bigtiff=is_big) as writer:
            for page in stack:
                writer.write(page, contiguous=False, metadata=None)
        np.testing.assert_array_equal(vision.read_image(path), stack)
