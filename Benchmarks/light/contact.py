"""A contact sheet: the worst frames of each clip, cut where they are worst: without noise, as delivered, ours, and
vpxenc's.
"""
import pathlib
import subprocess

import numpy

from light import findings

#: Samples of a cell, and between cells.
WIDTH, HEIGHT, GAP = 320, 240, 4


def write(folder: pathlib.Path, finding, files) -> pathlib.Path:
    """Writes a clip's sheet, one row for each frame."""
    rows = [_row(frame, finding, files) for frame in findings.worst_frames(finding)]
    path = folder / f"{finding.clip.name}.png"
    _write_image(path, numpy.concatenate(rows))
    return path


def join(sheets, path: pathlib.Path):
    """All sheets below one another."""
    inputs = [part for sheet in sheets for part in ("-i", sheet)]
    stack = ["-filter_complex", f"vstack=inputs={len(sheets)}"] if len(sheets) > 1 else []
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, *stack, "-frames:v", "1", "-q:v", "3", path],
                   check=True,
                   timeout=60)


def _row(number, finding, files):
    shown = [_frame(files.clean, number, finding.clip), _frame(files.source, number, finding.clip)]
    shown += [
        _frame(judged.path,
               numpy.searchsorted(judged.packets.numbers, number, side="right") - 1, finding.clip)
        for judged in (finding.ours, finding.reference)
    ]
    top, left = _worst_place(shown[2], shown[0])
    cells = [
        numpy.pad(frame[top:top + HEIGHT, left:left + WIDTH], ((0, GAP), (0, GAP), (0, 0)), constant_values=255)
        for frame in shown
    ]
    return numpy.concatenate(cells, axis=1)


def _worst_place(ours, clean):
    """The upper left corner of the cell with the greatest error."""
    errors = numpy.square(ours.astype(numpy.float32) - clean).sum(2)
    sums = numpy.pad(errors, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    cells = sums[HEIGHT:, WIDTH:] - sums[:-HEIGHT, WIDTH:] - sums[HEIGHT:, :-WIDTH] + sums[:-HEIGHT, :-WIDTH]
    return numpy.unravel_index(cells.argmax(), cells.shape)


def _frame(path, index, clip):
    command = [
        "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", f"select=eq(n\\,{index})", "-frames:v", "1", "-vsync",
        "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"
    ]
    decoded = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    return numpy.frombuffer(decoded, numpy.uint8).reshape(clip.height, clip.width, 3)


def _write_image(path, image):
    height, width, _ = image.shape
    subprocess.run([
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
        "-i", "-", "-frames:v", "1", path
    ],
                   input=image.tobytes(),
                   check=True,
                   timeout=60)
