"""Puts one clip of each kind through Debian's motion and through our detector, and compares what both notice and take.

motion reads a file at the pace of its time stamps, so all clips run beside each other, each in a process of its own: once
with detection, and once without (-m), which tells what reading and decoding take. Nothing is encoded or saved.
"""
import datetime
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

KINDS = ["quiet", "night", "rain", "leaves", "shadows", "lamp", "exposure", "shake", "slow", "storm"]
RATE = 10
SETTINGS = """daemon off
log_level 6
netcam_url file://{clip}
width 640
height 480
framerate 10
threshold 1500
noise_tune on
despeckle_filter EedDl
event_gap 5
minimum_motion_frames 3
picture_output off
movie_output off
webcontrol_port 0
stream_port 0
target_dir {folder}
"""


def write_clip(binary, kind, seed, minutes, path):
    """H.264 of a quality at which noise stays."""
    clip = subprocess.Popen([binary, "clip", kind, seed, minutes], stdout=subprocess.PIPE)
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "640x480", "-r", str(RATE), "-i", "-",
         "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "12", "-g", "20", str(path)],
        stdin=clip.stdout, check=True)
    clip.wait()


def run_motion(folder, minutes, is_detecting):
    """Seconds of CPU time of all processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    processes = []
    for kind in KINDS:
        settings = folder / f"{kind}.conf"
        settings.write_text(SETTINGS.format(clip=folder / f"{kind}.mkv", folder=folder))
        log = folder / f"{kind}-{'on' if is_detecting else 'off'}.log"
        command = ["motion", "-n", "-c", str(settings), "-l", str(log)] + ([] if is_detecting else ["-m"])
        processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    time.sleep(60 * int(minutes) + 1)
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(timeout=30)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def moment(line):
    text = re.search(r"\[(\w{3} \d\d \d\d:\d\d:\d\d)\]", line)
    return datetime.datetime.strptime(text[1], "%b %d %H:%M:%S") if text else None


def events(log, frames):
    """Spans of frames, from the log, whose times are whole seconds; motion ends an event five seconds after the last motion."""
    started, open_since, found = None, None, []
    for line in log.read_text(errors="replace").splitlines():
        if "netcam_rtsp_connect" in line and "connected" in line and started is None:
            started = moment(line)
        elif "Motion detected - starting event" in line:
            open_since = moment(line)
        elif "End of event" in line and open_since is not None:
            found.append((open_since, moment(line) - datetime.timedelta(seconds=5)))
            open_since = None
    if open_since is not None:
        found.append((open_since, started + datetime.timedelta(seconds=frames / RATE)))
    seconds = [((a - started).total_seconds(), (b - started).total_seconds()) for a, b in found]
    return [(max(int(a * RATE), 0), max(int(b * RATE), int(a * RATE))) for a, b in seconds]


def score(binary, kind, seed, minutes, spans):
    text = "".join(f"{first} {last}\n" for first, last in spans)
    printed = subprocess.run(
        [binary, "score", kind, seed, minutes], input=text, capture_output=True, text=True, check=True).stdout.split()
    return int(printed[0]), int(printed[1]), int(printed[2]), float(printed[3])


def main(binary, seed, minutes):
    frames = int(minutes) * 60 * RATE
    with tempfile.TemporaryDirectory(prefix="livesessions-motion.") as name:
        folder = pathlib.Path(name)
        for kind in KINDS:
            write_clip(binary, kind, seed, minutes, folder / f"{kind}.mkv")
        detecting = run_motion(folder, minutes, True)
        reading = run_motion(folder, minutes, False)
        total = [0, 0, 0, 0.0]
        for kind in KINDS:
            result = score(binary, kind, seed, minutes, events(folder / f"{kind}-on.log", frames))
            total = [a + b for a, b in zip(total, result)]
            print(f"motion, {kind}: {result[0]} of {result[1]} noticed, {result[2]} false alarms", flush=True)
    print(f"motion, all: recall {total[0] / max(total[1], 1):.3f} ({total[0]}/{total[1]}), "
          f"false alarms an hour {total[2] / total[3]:.2f} ({total[2]} in {total[3]:.2f} h)")
    look = (detecting - reading) / (frames * len(KINDS))
    print(f"motion, CPU: {1e6 * look:.0f} us a look ({detecting:.1f} s, of which reading and decoding {reading:.1f} s)", flush=True)
    subprocess.run([binary, "judge", "all", seed, seed, minutes], check=True)


main(*sys.argv[1:4])
