"""A further camera's program is killed, stands still, writes garbage, another size, too much or nothing, while a call that sees the
main camera loses nothing."""
import os
import pathlib
import signal
import sys
import time

from interop import archives, odd_camera, sequence
from interop.calling import Caller
from interop.processes import wait_until
from interop.tests.exec_sources import further, require_streaming, world_with

#: A program that has failed before is started after a pause of up to 10 s, and takes seconds to start on a busy machine.
RESTART = 25
#: What the journal says of each mode, and how long after the program's start.
FAULTS = {
    "exits": ("the program ended with status 3", 5),
    "garbage": ("is not y4m: byte 0", 5),
    "size": (f"its frames are {2 * odd_camera.WIDTH}×{odd_camera.HEIGHT} in place of", 5),
    "flood": ("frames a second come", 5),
    "silent": ("no frame for 10 s", 15),
}
#: All of that, with the program's recovery after each.
LONGEST = 400


def run(context):
    folder = context.scratch / "odd"
    folder.mkdir()
    mode = folder / "mode"
    mode.write_text("good")
    (folder / "processes").touch()
    camera = {
        "exec": ["/usr/bin/env", f"PYTHONPATH={os.environ['PYTHONPATH']}", sys.executable, "-m", "interop.odd_camera", str(folder)],
        "format": "y4m", "width": odd_camera.WIDTH, "height": odd_camera.HEIGHT, "frame_rate": odd_camera.RATE}
    with world_with(context, "odd-world", further({"odd": camera})) as world:
        with Caller(context, world, seconds=LONGEST, name="bystander") as caller:
            caller.wait_for("connected")
            require_streaming(world, 2)
            _disturb(world, folder, mode)
            time.sleep(2)
            seen = sequence.examine([event["number"] for event in caller.events("received")])
            # The daemon goes without a word, and its program with it; what that started is systemd's.
            world.kill_device()
            wait_until(lambda: not _living(folder), "the program ended with the daemon", limit=5)
            _end_rest(folder)
        seen.require("the main camera in the call", share=0.9, at_least=300)
        archive = archives.read(world.archive_folder)[0]
        if not any(path.stem == "odd" for path in archive.files):
            raise AssertionError(f"the odd camera is not in {archive.files}")
    return f"beside an odd program: {seen}"


def _disturb(world, folder, mode):
    for name, (text, limit) in FAULTS.items():
        before = world.device_log().count(text)
        mode.write_text(name)
        _signal(folder, signal.SIGKILL)
        wait_until(
            lambda: world.device_log().count(text) > before, f"the journal says of {name}: {text}", limit=RESTART + limit)
        # It is started again and again, which is said once.
        time.sleep(2)
        if world.device_log().count(text) != before + 1:
            raise AssertionError(f"{text!r} is said {world.device_log().count(text) - before} times")
        mode.write_text("good")
        _signal(folder, signal.SIGKILL)
        require_streaming(world, 2)
    if "ended by signal 9" not in world.device_log():
        raise AssertionError("nothing is said of the program that was killed")
    _signal(folder, signal.SIGSTOP)
    wait_until(lambda: "no frame for 2 s" in world.device_log(), "the journal says that it stands still", limit=10)
    mode.write_text("errors")
    _signal(folder, signal.SIGKILL)
    require_streaming(world, 2)
    time.sleep(5)
    lines = world.device_log().count("something is wrong")
    if not 1 <= lines <= 30:
        raise AssertionError(f"{lines} lines of the program are in the journal")
    require_streaming(world, 2)


def _living(folder):
    return [number for number in map(int, (folder / "processes").read_text().split()[::2]) if _is_running(number)]


def _end_rest(folder):
    for number in map(int, (folder / "processes").read_text().split()):
        if _is_running(number):
            os.kill(number, signal.SIGKILL)


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
