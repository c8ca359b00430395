"""Measures the built programs from outside and prints tables."""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bench import figures, media, readiness, report
from bench.device import Device, Stretch
from bench.peers import Peers
from bench.reference import Reference

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("livesessionsd", "livesessions-hub", "livesessions")
CALL_SECONDS, SHORT_CALL_SECONDS = 12, 2
STARTS = 10


@dataclasses.dataclass(frozen=True)
class Context:
    """What the interoperability tests' worlds and callers ask for."""

    binaries: pathlib.Path
    scratch: pathlib.Path
    web = REPOSITORY / "Sources/Hub/HubHTTP/web"
    tone = 440


@dataclasses.dataclass(frozen=True)
class Round:
    """One recording, and right after it those of the peers and the CPU seconds of the reference encoders."""

    recording: Stretch
    video: float
    audio: float
    paced: float
    #: Each peer's run, by its name.
    peers: dict


def main():
    options = _options()
    _require_programs(options.bin)
    _end_after(90 + options.seconds * (5 * options.rounds + 3) + options.calls * 30)
    begin, disturbance = time.monotonic(), report.Disturbance()
    report.machine()
    with tempfile.TemporaryDirectory() as folder:
        found = _measure(options, pathlib.Path(folder))
    disturbance.show(time.monotonic() - begin, own_cpu_time())
    if options.json:
        figures.write(options.json, options, disturbance, found)


def _measure(options, folder):
    """Prints tables, and returns the figures."""
    reference = Reference(_folder(folder, "reference"), options.seconds)
    peers = Peers(_folder(folder, "peers"), reference)
    sizes = _stripped_sizes(options.bin, _folder(folder, "stripped"))
    report.sizes(sizes)
    starts = readiness.measure(options.bin / "livesessionsd", _folder(folder, "starts"), STARTS)
    sources = {"camera": f"file:{reference.bars}", "microphone": f"file:{reference.tone}"}
    with Device(Context(options.bin, _folder(folder, "recorder")), **sources) as device:
        rounds = _rounds(device, reference, peers, options)
        files = [media.CodedVideo.of("livesessionsd", device.last_recording),
                 media.CodedVideo.of("vpxenc", reference.video),
                 *(media.CodedVideo.of(name, peers.file(name)) for name in peers.names)]
        recording_memory = max(one.anonymous for one in device.snapshots)
    with Device(Context(options.bin, _folder(folder, "device"))) as device:
        idle, pipes = _idle(device, reference, options.seconds)
        calls, in_call = _calls(device, options.calls)
    report.cpu(options.seconds, rounds, pipes, files)
    report.peers(rounds, recording_memory)
    report.threads([one.recording for one in rounds], in_call)
    report.loads(idle, in_call)
    report.memory(device.snapshots)
    report.delays(starts, calls)
    return {
        "recording": figures.recording(rounds, recording_memory),
        "encodersInRealTime": [one.paced - pipes for one in rounds],
        "encodersInOneGo": [one.video + one.audio for one in rounds],
        "idlePercent": idle.share, "inCallPercent": in_call.share, "snapshots": device.snapshots, "starts": starts,
        "strippedSizes": sizes}


def _idle(device, reference, seconds):
    """CPU time of the daemon that does nothing; meanwhile that of the pipes through which the encoders will be fed."""
    time.sleep(1)
    device.take_snapshot("idle after start")
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        pipes = executor.submit(reference.pipes_alone)
        return device.rest(seconds), pipes.result()


def _rounds(device, reference, peers, options):
    rounds = []
    for number in range(options.rounds):
        _progress(f"round {number + 1}: livesessionsd records")
        recording = device.record(options.seconds, "recording")
        _progress(f"round {number + 1}: vpxenc and opusenc")
        encoders = *reference.in_one_go(), reference.in_real_time()
        _progress(f"round {number + 1}: {' and '.join(peers.names)}")
        runs = {name: peers.record(name, options.seconds + 30) for name in peers.names}
        rounds.append(Round(recording, *encoders, runs))
    return rounds


def _calls(device, count):
    """The events of each call, and the CPU time during the first."""
    _progress("calls")
    events, in_call = device.call(CALL_SECONDS, "in a recorded call, both ways")
    calls = [events]
    time.sleep(1)
    device.take_snapshot("after the call")
    for number in range(2, count + 1):
        calls.append(device.call(SHORT_CALL_SECONDS)[0])
        if number == count:
            time.sleep(1)
            device.take_snapshot(f"after {count} calls")
    return calls, in_call


def _stripped_sizes(programs, folder):
    for name in PROGRAMS:
        shutil.copy(programs / name, folder / name)
        subprocess.run(["strip", folder / name], check=True, timeout=60)
    return {name: (folder / name).stat().st_size for name in PROGRAMS}


def _folder(parent, name):
    (parent / name).mkdir()
    return parent / name


def own_cpu_time():
    """CPU seconds of this program and of its children, which have all ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _progress(text):
    if sys.stderr.isatty():
        print(f"({text})", file=sys.stderr)


def _end_after(seconds):
    """Gives up when something hangs; the namespace ends with this program."""
    def give_up(*_):
        raise TimeoutError(f"the measurements took more than {seconds} s")
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)


def _require_programs(folder):
    lacking = [name for name in PROGRAMS if not os.access(folder / name, os.X_OK)]
    if lacking:
        raise SystemExit(f"{folder} has no {', '.join(lacking)}; run make build")


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), default=REPOSITORY / ".build/release",
                        help="where the programs are")
    parser.add_argument("--seconds", type=_positive, default=20, help="of each recording")
    parser.add_argument("--rounds", type=_positive, default=3, help="of recording and encoding in turns")
    parser.add_argument("--calls", type=_positive, default=5, help="how many")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the figures there")
    return parser.parse_args()


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


if __name__ == "__main__":
    main()
