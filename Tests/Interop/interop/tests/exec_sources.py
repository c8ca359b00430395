"""Programs as cameras and microphone: ffmpeg and GStreamer, each frame with its number."""
import copy
import os
import sys
import time

from interop import archives, pattern, sound, webm
from interop.calling import Caller
from interop.processes import wait_until
from interop.world import World

TONE = 700
WIDTH, HEIGHT, RATE = 320, 240, 15
#: Of the frames, since on a busy machine the newest one wins.
SHARE = 0.9
#: Of the clip that is repeated.
FRAMES = 40 * RATE
FFMPEG = ["ffmpeg", "-nostdin", "-v", "error", "-re"]

def run(context):
    return _follow_programs(context)


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
        **further(cameras),
    }
    with world_with(context, "good", settings) as world:
        with Caller(context, world, seconds=15) as caller:
            caller.wait_for("connected")
            require_streaming(world, 4)
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
            frames.require(f"{name} in the archive ({told})", share=SHARE, at_least=8 * RATE)
    return told


def _write_raw(clip, raw):
    """The frames of a clip without anything between."""
    frame, line = WIDTH * HEIGHT * 3 // 2, len(b"FRAME\n")
    with open(clip, "rb") as source, open(raw, "wb") as target:
        source.readline()
        for _ in range(FRAMES):
            source.read(line)
            target.write(source.read(frame))


def further(cameras):
    """Sections of further cameras; a dictionary has each name once, which spaces within the brackets make different."""
    return {"[camera" + " " * index + "]": {"name": name, "path": source, "bitrate": "400kbit/s"}
            for index, (name, source) in enumerate(cameras.items())}


def require_streaming(world, count):
    def streaming():
        devices = [device for device in world.status()["devices"] if device["target"] == "camera"]
        return len([device for device in devices if device["state"] == "streaming"]) == count
    wait_until(streaming, f"{count} cameras deliver", limit=30)


def world_with(context, name, settings):
    own = copy.copy(context)
    own.scratch = context.scratch / name
    own.scratch.mkdir(exist_ok=True)
    return World(own, settings=settings)
