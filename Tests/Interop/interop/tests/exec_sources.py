"""Programs as cameras and microphone: ffmpeg and GStreamer, each frame with its number; then a further camera's program that is
killed, stands still, writes garbage, another size, too much or nothing, while a call that sees the main camera loses nothing."""
import copy
import os
import pathlib
import signal
import sys
import time

from interop import archives, odd_camera, pattern, sequence, sound, webm
from interop.calling import Caller
from interop.processes import wait_until
from interop.world import World

TONE = 700
WIDTH, HEIGHT, RATE = 320, 240, 15
#: Of the clip that is repeated.
FRAMES = 40 * RATE
FFMPEG = ["ffmpeg", "-nostdin", "-v", "error", "-re"]
#: What the journal says of each mode, and until when.
FAULTS = {
    "exits": ("the program ended with status 3", 10),
    "garbage": ("is not y4m: byte 0", 10),
    "size": (f"its frames are {2 * odd_camera.WIDTH}×{odd_camera.HEIGHT} in place of", 10),
    "flood": ("frames a second come", 10),
    "silent": ("no frame for 10 s", 20),
}


def run(context):
    good = _follow_programs(context)
    odd = _follow_odd_program(context)
    return f"{good}; {odd}"


# What programs write is shown, frame by frame.

def _follow_programs(context):
    folder = context.scratch / "good"
    folder.mkdir()
    clip, raw = folder / "clip.y4m", folder / "clip.yuv"
    pattern.write_y4m(clip, FRAMES, WIDTH, HEIGHT, RATE)
    _write_raw(clip, raw)
    repeated = ["-stream_loop", "-1", "-i", str(clip)]
    caps = f"video/x-raw,format=NV12,width={WIDTH},height={HEIGHT}"
    size = {"width": WIDTH, "height": HEIGHT, "frame_rate": RATE}
    cameras = {
        "gst": {
            "exec": ["gst-launch-1.0", "-q", "filesrc", f"location={raw}", "!", "rawvideoparse", "format=i420",
                     f"width={WIDTH}", f"height={HEIGHT}", f"framerate={RATE}/1", "!", "identity", "sync=true", "!",
                     "videoconvert", "!", caps, "!", "fdsink", "fd=1"],
            "format": "nv12", **size},
        "jpegs": {"exec": [*FFMPEG, *repeated, "-q:v", "3", "-f", "mjpeg", "-"], "format": "mjpeg", "frame_rate": RATE},
        "planes": {"exec": [*FFMPEG, *repeated, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"], "format": "yuv420p", **size},
    }
    settings = {
        "video": {"camera": {"exec": [*FFMPEG, *repeated, "-f", "yuv4mpegpipe", "-"], "format": "y4m"}},
        "audio": {"microphone": {
            "exec": [*FFMPEG, "-f", "lavfi", "-i", f"sine={TONE}:sample_rate=44100", "-f", "s16le", "-ac", "2", "-"],
            "format": "s16le", "rate": 44_100, "channels": 2}},
        **_further(cameras),
    }
    with _world(context, "good", settings) as world:
        with Caller(context, world, seconds=15) as caller:
            caller.wait_for("connected")
            _require_streaming(world, 4)
            told = world.try_command(
                "doctor", "--config", str(world.folder / "device.toml"), "--policy", str(world.folder / "policy.toml")).stdout
            if "exec:ffmpeg is streaming" not in told:
                raise AssertionError(f"doctor says {told}")
            caller.wait_for("ended", limit=35)
        archive = archives.wait_for(world.archive_folder, 1)[0]
        own = next(path for path in archive.files if path.stem == "device")
        # Silence is recorded until the program is there.
        sound.require_tone(webm.samples(own)[8 * webm.RATE:-webm.RATE // 2], webm.RATE, TONE, own.name)
        seen = {path.stem: webm.examine_frames(path, period=FRAMES) for path in archive.files if path.stem != "caller"}
        told = "; ".join(f"{name}: {frames}" for name, frames in sorted(seen.items()))
        if len(seen) != 4:
            raise AssertionError(f"not each camera is recorded: {told}")
        for name, frames in seen.items():
            frames.require(f"{name} in the archive ({told})", share=0.99, at_least=8 * RATE)
    return told


def _write_raw(clip, raw):
    """The frames of a clip without anything between."""
    frame, line = WIDTH * HEIGHT * 3 // 2, len(b"FRAME\n")
    with open(clip, "rb") as source, open(raw, "wb") as target:
        source.readline()
        for _ in range(FRAMES):
            source.read(line)
            target.write(source.read(frame))


def _further(cameras):
    """Sections of further cameras; a dictionary has each name once, which spaces within the brackets make different."""
    return {"[camera" + " " * index + "]": {"name": name, "path": source, "bitrate": "400kbit/s"}
            for index, (name, source) in enumerate(cameras.items())}


def _require_streaming(world, count):
    def streaming():
        devices = [device for device in world.status()["devices"] if device["target"] == "camera"]
        return len([device for device in devices if device["state"] == "streaming"]) == count
    wait_until(streaming, f"{count} cameras deliver", limit=20)


# What a program does wrong is its own trouble.

def _follow_odd_program(context):
    folder = context.scratch / "odd"
    folder.mkdir()
    mode = folder / "mode"
    mode.write_text("good")
    (folder / "processes").touch()
    camera = {
        "exec": ["/usr/bin/env", f"PYTHONPATH={os.environ['PYTHONPATH']}", sys.executable, "-m", "interop.odd_camera", str(folder)],
        "format": "y4m", "width": odd_camera.WIDTH, "height": odd_camera.HEIGHT, "frame_rate": odd_camera.RATE}
    with _world(context, "odd-world", _further({"odd": camera})) as world:
        with Caller(context, world, seconds=90, name="bystander") as caller:
            caller.wait_for("connected")
            _require_streaming(world, 2)
            _disturb(world, folder, mode)
            time.sleep(2)
            seen = sequence.examine([event["number"] for event in caller.events("received")])
            # The daemon goes without a word: nothing that its programs are stays.
            world.kill_device()
            wait_until(lambda: not _living(folder), "the programs ended with the daemon", limit=5)
        seen.require("the main camera in the call", share=0.99, at_least=300)
        archive = archives.read(world.archive_folder)[0]
        if not any(path.stem == "odd" for path in archive.files):
            raise AssertionError(f"the odd camera is not in {archive.files}")
    return f"beside an odd program: {seen}"


def _disturb(world, folder, mode):
    for name, (text, limit) in FAULTS.items():
        before = world.device_log().count(text)
        mode.write_text(name)
        _signal(folder, signal.SIGKILL)
        wait_until(lambda: world.device_log().count(text) > before, f"the journal says of {name}: {text}", limit=limit)
        # It is started again and again, which is said once.
        time.sleep(2)
        if world.device_log().count(text) != before + 1:
            raise AssertionError(f"{text!r} is said {world.device_log().count(text) - before} times")
        mode.write_text("good")
        _signal(folder, signal.SIGKILL)
        _require_streaming(world, 2)
    if "ended by signal 9" not in world.device_log():
        raise AssertionError("nothing is said of the program that was killed")
    _signal(folder, signal.SIGSTOP)
    wait_until(lambda: "no frame for 2 s" in world.device_log(), "the journal says that it stands still", limit=10)
    mode.write_text("errors")
    _signal(folder, signal.SIGKILL)
    _require_streaming(world, 2)
    time.sleep(5)
    lines = world.device_log().count("something is wrong")
    if not 1 <= lines <= 30:
        raise AssertionError(f"{lines} lines of the program are in the journal")
    _require_streaming(world, 2)


def _living(folder):
    return [number for number in map(int, (folder / "processes").read_text().split()) if _is_running(number)]


def _is_running(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _signal(folder, number):
    """To the program, if it runs, and not to what it has started."""
    for process in map(int, (folder / "processes").read_text().split()[::2]):
        try:
            if _is_running(process):
                os.kill(process, number)
        except ProcessLookupError:
            pass


def _world(context, name, settings):
    own = copy.copy(context)
    own.scratch = context.scratch / name
    own.scratch.mkdir(exist_ok=True)
    return World(own, settings=settings)
