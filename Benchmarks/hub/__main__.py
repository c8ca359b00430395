"""Starts a hub of one node or several, puts load on it, and prints what that costs."""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

from bench import figures, report, table
from hub import tables
from hub.processes import MeasuredHub

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PHASES = ["login", "streams", "idle", "updates", "nearby", "calls", "healthz"]


def main():
    options = _options()
    begin, disturbance = time.monotonic(), report.Disturbance()
    with tempfile.TemporaryDirectory(prefix="hub.") as folder:
        hub = MeasuredHub(options.bin / "livesessions-hub", folder, options.nodes, options.redis)
        try:
            found = _measure(hub, options)
        finally:
            hub.stop()
    kept = "in Redis" if options.redis or options.nodes > 1 else "in memory"
    tables.phases(f"{options.nodes} node{'s' * (options.nodes > 1)}, {options.users} devices, {kept}", found)
    tables.memory(found)
    table.say("µs each: CPU time of all threads, user and system. Refused: answers that were not 2xx.")
    disturbance.show(time.monotonic() - begin, time.process_time())
    if options.json:
        figures.write(options.json, options, disturbance, {"phases": found, "nodes": options.nodes})


def _measure(hub, options):
    accounts = hub.start(options.users, options.seed)
    command = [options.load, "--accounts", accounts, "--phases", ",".join(options.only or PHASES)]
    for target in hub.targets:
        command += ["--target", target]
    for name, pid in hub.processes.items():
        command += ["--process", f"{name}={pid}"]
    for name in ("seed", "seconds", "streams", "connections", "calls_per_minute", "background_updates"):
        command += [f"--{name.replace('_', '-')}", getattr(options, name)]
    found, memory = [], hub.redis_memory()
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            found.append(json.loads(line))
            if found[-1]["phase"] == "announcements" and memory is not None:
                found[-1]["redisGrowth"] = hub.redis_memory() - memory
    if process.returncode:
        raise SystemExit(f"hub-load has failed with status {process.returncode}")
    return found


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --hub", description=__doc__)
    parser.add_argument("--load", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--bin", type=_path, default=REPOSITORY / ".build/release", help="where livesessions-hub is")
    parser.add_argument("--nodes", type=int, default=1, help="more than one share a Redis")
    parser.add_argument("--redis", action="store_true", help="have one node keep what it knows in Redis, too")
    parser.add_argument("--users", type=int, default=10_000, help="devices that are present")
    parser.add_argument("--streams", type=int, default=1 << 40, help="how many of them hold an event stream; all")
    parser.add_argument("--seconds", type=float, default=10, help="of each measured phase")
    parser.add_argument("--connections", type=int, default=64, help="that carry requests")
    parser.add_argument("--calls-per-minute", type=float, default=1_000)
    parser.add_argument("--background-updates", type=float, default=2_000, help="a second, while calls are timed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PHASES, help="phases to run; login must be one")
    parser.add_argument("--json", type=_path, help="a file for the figures")
    options = parser.parse_args()
    options.rounds = 1
    return options


def _path(text):
    return pathlib.Path(text).resolve()


if __name__ == "__main__":
    main()
