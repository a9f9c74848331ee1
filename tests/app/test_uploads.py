"""Files of visitors: taken as what they are, or refused in one line."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.app import AppLimits
from multicut.app.failures import VisitorError, describe_failure
from multicut.app.subjects import GraphSubject, ImageSubject
from multicut.app.uploads import Upload, take_upload

Image = pytest.importorskip("PIL.Image")

TRIANGLE = mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1])
SMALL = AppLimits(max_upload_mb=0.1, max_pixels=1000, max_edges=100)
GREY = np.arange(48, dtype=np.uint8).reshape(6, 8)
COLOUR = np.stack([GREY, GREY + 50, GREY + 100], axis=-1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    return uploads


def take(folder: Path, name: str, content: bytes, limits: AppLimits = SMALL) -> Upload:
    path = folder / name
    path.write_bytes(content)
    return take_upload(path, folder, limits)


def refusal(folder: Path, name: str, content: bytes, limits: AppLimits = SMALL) -> str:
    """Return the line that a visitor reads about a file that is refused."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the caller looks at the line)
        take(folder, name, content, limits).subject()
    line = describe_failure(caught.value)
    assert "\n" not in line
    assert str(folder.parent) not in line
    return line


def encode(image: Any, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def encode_stack(slices: list[np.ndarray]) -> bytes:
    first, *others = map(Image.fromarray, slices)
    return encode(first, "TIFF", save_all=True, append_images=others)


def image_of(upload: Upload) -> np.ndarray:
    subject = upload.subject()
    assert isinstance(subject, ImageSubject)
    assert subject.image.dtype == np.uint8
    return subject.image


def test_a_problem_is_read_as_the_library_reads_it(folder: Path) -> None:
    upload = take(folder, "triangle.txt", b"MULTICUT\n0 1 1\n0 2 -1\n1 2 1\n")
    subject = upload.subject()
    assert isinstance(subject, GraphSubject)
    assert subject.problem == TRIANGLE
    assert (upload.name, upload.format, upload.members) == ("triangle.txt", "lpmp", [])


def test_compressed_problems_are_read(folder: Path) -> None:
    upload = take(folder, "triangle.csv.gz", gzip.compress(b"0,1,1\n0,2,-1\n1,2,1\n"))
    assert upload.subject().problem == TRIANGLE  # type: ignore[union-attr]


def test_one_of_several_problems_is_chosen(folder: Path) -> None:
    other = mc.Problem([[0, 1]], [2.0])
    stream = io.BytesIO()
    mc.io.write_all({"a": TRIANGLE, "b": other}, stream, "npz")
    upload = take(folder, "both.npz", stream.getvalue())
    assert upload.members == ["a", "b"]
    assert upload.subject().problem == TRIANGLE  # type: ignore[union-attr]
    assert upload.subject("b").problem == other  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="contains no problem 'c'"):
        upload.subject("c")


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "BMP"])
@pytest.mark.parametrize("values", [GREY, COLOUR], ids=["grey", "colour"])
def test_images_keep_their_values(folder: Path, kind: str, values: np.ndarray) -> None:
    content = encode(Image.fromarray(values), kind)
    assert np.array_equal(image_of(take(folder, "image", content)), values)


def test_webp_images_keep_their_values(folder: Path) -> None:
    upload = take(folder, "a.webp", encode(Image.fromarray(COLOUR), "WEBP", lossless=True))
    assert np.array_equal(image_of(upload), COLOUR)
    lossy = image_of(take(folder, "a.webp", encode(Image.fromarray(COLOUR), "WEBP", quality=95)))
    assert np.abs(lossy.astype(int) - COLOUR).mean() < 10
    clear = Image.fromarray(COLOUR).convert("RGBA")
    clear.putalpha(0)
    assert (image_of(take(folder, "a.webp", encode(clear, "WEBP", lossless=True))) == 255).all()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("BMP", {}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"quality": 80}),
        ("WEBP", {"exif": b"x"}),
    ],
)
def test_the_limit_of_pixels_holds_for_all_kinds(
    folder: Path, kind: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    large = encode(Image.fromarray(np.zeros((40, 30, 3), np.uint8)), kind, **options)
    if kind == "WEBP":  # whose decoder allocates memory when it opens a file
        monkeypatch.setattr(Image, "open", None)
    assert refusal(folder, "large", large) == (
        "large: 30 by 40 pixels are more than the limit of 1,000; make the image smaller"
    )


def test_images_of_other_kinds_of_pixels(folder: Path) -> None:
    deep = GREY.astype(np.uint16) * 257
    assert np.array_equal(image_of(take(folder, "i", encode(Image.fromarray(deep), "PNG"))), GREY)
    see_through = Image.fromarray(COLOUR).convert("RGBA")
    assert np.array_equal(image_of(take(folder, "i", encode(see_through, "PNG"))), COLOUR)
    see_through.putalpha(0)
    assert (image_of(take(folder, "i", encode(see_through, "PNG"))) == 255).all()
    clear = Image.new("LA", (8, 6), (0, 0))
    assert (image_of(take(folder, "i", encode(clear, "PNG"))) == 255).all()
    palette = Image.fromarray(COLOUR).quantize(256)
    found = image_of(take(folder, "i", encode(palette, "PNG")))
    assert np.array_equal(found, np.asarray(palette.convert("RGB")))
    real = Image.fromarray(np.linspace(-3, 5, 48, dtype=np.float32).reshape(6, 8))
    found = image_of(take(folder, "i", encode(real, "TIFF")))
    assert (found.min(), found.max()) == (0, 255)
    two = Image.fromarray(GREY > 20)
    assert set(np.unique(image_of(take(folder, "i", encode(two, "PNG"))))) == {0, 255}


def test_photographs_are_turned_as_their_camera_says(folder: Path) -> None:
    image = Image.fromarray(COLOUR)
    exif = image.getexif()
    exif[0x0112] = 6  # a quarter turn
    found = image_of(take(folder, "photo.jpg", encode(image, "JPEG", exif=exif, quality=95)))
    assert found.shape == (8, 6, 3)


def test_too_many_pixels_are_refused_before_decoding(folder: Path) -> None:
    # A header alone, without any pixels, is enough to be refused.
    header = struct.pack(">IIBBBBB", 20_000, 30_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk
    png += struct.pack(">I", zlib.crc32(chunk)) + struct.pack(">I", 1000) + b"IDAT"
    line = refusal(folder, "bomb.png", png)
    assert "pixels" in line
    assert "the limit of 1,000" in line
    large = encode(Image.fromarray(np.zeros((40, 30), np.uint8)), "PNG")
    assert refusal(folder, "large.png", large) == (
        "large.png: 30 by 40 pixels are more than the limit of 1,000; make the image smaller"
    )


def test_images_that_cannot_be_taken(folder: Path) -> None:
    png = encode(Image.fromarray(COLOUR), "PNG")
    assert refusal(folder, "cut.png", png[:-30]).startswith("cut.png: the PNG image is damaged")
    assert refusal(folder, "no.jpg", b"\xff\xd8\xff" + b"rubbish" * 9) == (
        "no.jpg: the JPEG image is damaged (the content is not such an image)"
    )
    line = "cannot be read here; save it as PNG, JPEG or TIFF"
    gif = encode(Image.fromarray(GREY), "GIF")
    assert refusal(folder, "a.gif", gif) == f"a.gif: a GIF image {line}"
    bmp = encode(Image.fromarray(GREY), "BMP")
    assert refusal(folder, "a.bmp", bmp[:80]).startswith("a.bmp: the BMP image is damaged")
    webp = encode(Image.fromarray(COLOUR), "WEBP", lossless=True)
    for length in (13, 28, 40):
        line = refusal(folder, "a.webp", webp[:length])
        assert line.startswith("a.webp: the WebP image is damaged")
    moving = encode(
        Image.fromarray(COLOUR),
        "WEBP",
        save_all=True,
        append_images=[Image.fromarray(255 - COLOUR)],
    )
    assert refusal(folder, "a.webp", moving).startswith("a.webp: an animation of 2 images")
    stack = encode_stack([GREY] * 30)
    line = refusal(folder, "stack.tif", stack)
    assert "30 slices of 8 by 6 pixels are more than the limit of 1,000" in line
    assert "image 2 of the stack differs" in refusal(folder, "a.tif", encode_stack([GREY, COLOUR]))
    tiny = encode(Image.fromarray(GREY[:2]), "PNG")
    assert refusal(folder, "tiny.png", tiny).startswith("tiny.png: 8 by 2 pixels are too few")
    nan = encode(Image.fromarray(np.full((6, 8), np.nan, np.float32)), "TIFF")
    assert "not finite" in refusal(folder, "nan.tif", nan)


def test_a_stack_of_images_is_a_volume(folder: Path) -> None:
    slices = [GREY, GREY + 7, GREY + 90]
    subject = take(folder, "stack.tif", encode_stack(slices)).subject()
    assert isinstance(subject, ImageSubject)
    assert np.array_equal(subject.image, np.stack(slices))
    assert (subject.is_volume, subject.is_colour) == (True, False)
    assert subject.description == "3 slices of 8 by 6 pixels, grey"
    colour = take(folder, "colour.tif", encode_stack([COLOUR, COLOUR])).subject()
    assert (colour.image.shape, colour.is_volume) == ((2, 6, 8, 3), True)
    # One scale for all slices: a shade means the same in each of them.
    floats = [np.full((6, 8), value, np.float32) for value in (0.0, 1.0, 4.0)]
    scaled = take(folder, "floats.tif", encode_stack(floats)).subject().image
    assert scaled[:, 0, 0].tolist() == [0, 64, 255]


def test_bad_problems_say_where(folder: Path) -> None:
    assert refusal(folder, "bad.txt", b"0 1 1\n1 2 two\n") == (
        "bad.txt:2: the cost must be a number, got 'two'"
    )
    assert refusal(folder, "empty", b"") == "empty: the file is empty; expected a problem"
    line = refusal(folder, "rubbish.bin", bytes(range(256)))
    assert line.startswith("rubbish.bin: not recognised as any of")
    assert "format=" not in line  # a visitor knows no keywords


def test_names_are_short_and_printable(folder: Path) -> None:
    line = refusal(folder, "a" * 150 + ".txt", b"0 1\n")
    assert len(line.split(":")[0]) == 60
    assert take(folder, "odd\nname.txt", b"0 1 1\n").name == "odd_name.txt"


def test_large_files_are_refused(folder: Path) -> None:
    assert refusal(folder, "large.txt", b"0 1 1\n" * 20_000) == (
        "large.txt: 120,000 bytes are more than the limit of 100,000 per upload"
    )


def test_small_files_state_no_huge_problem(folder: Path) -> None:
    assert "the limit of 100" in refusal(folder, "complete.gr", b"p cep 14000 0\n")
    assert "the limit of 100" in refusal(folder, "n.txt", b"# multicut num_nodes 1000000\n0 1 1\n")
    assert "the limit of 100" in refusal(folder, "many.txt", b"0 1 1\n" * 200)
    bomb = gzip.compress(b"0 1 1\n" * 1_000_000)
    assert len(bomb) < SMALL.max_upload_bytes
    assert "bytes are more than the limit of 800,000" in refusal(folder, "bomb.gz", bomb)
    nested = gzip.compress(gzip.compress(b"0 1 1\n" * 1_000_000))
    assert refusal(folder, "nested.gz", nested).startswith("nested.gz: not recognised")
    stream = io.BytesIO()
    np.savez_compressed(stream, edges=np.zeros((10**6, 2), np.int64), costs=np.zeros(10**6))
    assert "the limit of 800,000" in refusal(folder, "bomb.npz", stream.getvalue())


class Bomb:
    """Writes a file if it is ever unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_pickles_are_never_loaded(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "run"
    stream = io.BytesIO()
    np.savez(stream, edges=np.array([Bomb(mark)], dtype=object), costs=np.zeros(1))
    assert "contains pickled objects, which are never loaded" in refusal(
        folder, "pickle.npz", stream.getvalue()
    )
    refusal(folder, "pickle.pkl", pickle.dumps(Bomb(mark)))
    assert not mark.exists()


def test_hdf5_leads_to_no_other_file(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.h5"
    mc.write(TRIANGLE, secret, format="andres")
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file["graph/edges"] = TRIANGLE.edges
        file["edge-values"] = h5py.ExternalLink(str(secret), "/edge-values")
    line = refusal(folder, "links.h5", stream.getvalue())
    assert line.startswith("links.h5: 'edge-values' is a link to another file")


def test_nothing_outside_the_folder_is_read(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("0 1 1\n")
    link = folder / "link.txt"
    link.symlink_to(outside)
    linked_folder = folder / "linked"
    linked_folder.symlink_to(tmp_path)
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    for path in (
        outside,
        folder / ".." / "outside.txt",
        link,
        linked_folder / "outside.txt",
        Path("/etc/passwd"),
        Path("relative.txt"),
        folder / "missing.txt",
        folder / "..",
        fifo,
        folder,
    ):
        with pytest.raises(VisitorError, match="upload it again"):
            take_upload(path, folder, SMALL)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_are_refused_in_one_line(folder: Path, data: st.DataObject) -> None:
    stream = io.BytesIO()
    mc.io.write_all({"a": TRIANGLE}, stream, "npz")
    samples = [
        encode(Image.fromarray(COLOUR), "PNG"),
        encode(Image.fromarray(COLOUR), "JPEG"),
        encode(Image.fromarray(COLOUR), "TIFF"),
        stream.getvalue(),
    ]
    content = bytearray(data.draw(st.sampled_from(samples)))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = folder / "damaged"
    path.write_bytes(bytes(content))
    try:
        take_upload(path, folder, SMALL).subject()
    except ValueError as error:
        line = describe_failure(error)
        assert line.startswith("damaged")
        assert "\n" not in line
        assert str(folder) not in line
