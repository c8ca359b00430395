"""What ffmpeg finds in a recorded file."""
import json
import subprocess

import numpy

from interop import pattern, sequence

WIDTH, HEIGHT, RATE = 640, 480, 48_000


def require_faultless(path):
    """Raises when ffprobe or mkvmerge has anything to warn of."""
    finished = _run(["ffprobe", "-v", "warning", "-show_entries", "format=duration", "-of", "json", path])
    complaint = finished.stderr.decode(errors="replace").strip()
    if finished.returncode or complaint:
        raise AssertionError(f"ffprobe {path.name}: {complaint or finished.returncode}")
    _require_identified(path)


def _require_identified(path):
    told = json.loads(_run(["mkvmerge", "-J", path]).stdout)
    if told["errors"] or told["warnings"] or not told["container"]["supported"]:
        raise AssertionError(f"mkvmerge {path.name}: {told['errors']} {told['warnings']} {told['container']}")


def duration(path):
    """Seconds, as the file's header tells them."""
    finished = _run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "json", path])
    return float(json.loads(finished.stdout)["format"]["duration"])


def frame_times(path):
    """Seconds at which each picture is shown."""
    return [at for at, _ in packets(path, "v")]


def packets(path, kind):
    """`[(seconds, bytes)]` of the pictures (`v`) or the sound (`a`)."""
    finished = _run(["ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time,size",
                     "-of", "json", path])
    return [(float(packet["pts_time"]), int(packet["size"])) for packet in json.loads(finished.stdout)["packets"]]


def missing_sound(path, packet=0.02):
    """The share of the sound's packets that are not in the file."""
    times = [at for at, _ in packets(path, "a")]
    return 1 - len(times) / (round((times[-1] - times[0]) / packet) + 1)


def frame_numbers(path):
    """The number on each picture of the file, None where there is no readable one."""
    return [None if mark is None else mark.number for mark in marks(path)]


def examine_frames(path, period=None):
    return sequence.examine(frame_numbers(path), period)


def samples(path):
    """The file's sound, one channel at 48 kHz."""
    data = _decode(path, ["-map", "0:a:0", "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"])
    return numpy.frombuffer(data, "<i2")


def marks(path):
    """The mark on each picture of the file, None where there is no readable one."""
    # The sender may change its picture's size on the way; the mark's cells scale with it. Timestamps are replaced
    # (`-r` before the input), since raw video has a clock too coarse for pictures that come a little early or late.
    data = _decode(path, ["-map", "0:v:0", "-vf", f"scale={WIDTH}:{HEIGHT}", "-vsync", "passthrough", "-f", "rawvideo",
                          "-pix_fmt", "gray", "-"], before=["-r", "30"])
    pictures = numpy.frombuffer(data, numpy.uint8).reshape(-1, HEIGHT, WIDTH)
    return [pattern.read(picture) for picture in pictures]


def _decode(path, arguments, before=()):
    finished = _run(["ffmpeg", "-nostdin", "-v", "error", *before, "-i", path, *arguments])
    if finished.returncode or finished.stderr:
        raise AssertionError(f"ffmpeg {path.name}: {finished.stderr.decode(errors='replace').strip()}")
    return finished.stdout


def _run(command):
    return subprocess.run([str(part) for part in command], capture_output=True, timeout=120, check=False)
