"""What events and evidence add to a device that records all the time: four daemons beside one another.

usage: python -m bench.unattended --bin FOLDER [--seconds N] [--rounds N] [--camera SOURCE]
"""
import argparse
import concurrent.futures
import pathlib
import tempfile
import time

from bench import report, table, usage
from bench.readiness import POLICY, configuration
from interop.processes import Child
from interop.world import toml

#: Motion is learned in six seconds, and what recorded before is on the disk by then.
SETTLING = 20
EVENTS = [{"name": "yard", "kind": "motion"}, {"name": "camera", "kind": "tamper"}, {"name": "noise", "kind": "sound"}]
PLAN = {"name": "events", "when": "events", "pre_roll": "10s"}
VARIANTS = {"recording": (False, False), "with events": (True, False), "with evidence": (False, True),
            "with both": (True, True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(".build/release"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--camera", default="test:bars")
    options = parser.parse_args()
    begin, disturbance = time.monotonic(), report.Disturbance()
    report.machine()
    with tempfile.TemporaryDirectory() as folder:
        shares, memory = _measure(options, pathlib.Path(folder))
    _show(shares, memory)
    disturbance.show(time.monotonic() - begin, sum(map(sum, shares.values())) * options.seconds / 100)


def _measure(options, folder):
    """Percent of a core in each round, and bytes at the end of each, of each variant."""
    shares, memory = {name: [] for name in VARIANTS}, {name: [] for name in VARIANTS}
    children = {name: _start(options, folder / name.replace(" ", "-"), *VARIANTS[name]) for name in VARIANTS}
    try:
        time.sleep(SETTLING)
        with concurrent.futures.ThreadPoolExecutor(len(children)) as pool:
            for _ in range(options.rounds):
                used = pool.map(lambda child: _share(child, options.seconds), children.values())
                for name, share in zip(children, list(used)):
                    shares[name].append(share)
                    memory[name].append(usage.anonymous_memory(children[name].pid))
    finally:
        for child in children.values():
            child.stop()
    return shares, memory


def _start(options, folder, has_events, has_evidence):
    (folder / "state").mkdir(mode=0o700, parents=True)
    sections = configuration(folder)
    sections["video"]["camera"] = options.camera
    sections["archive"]["record"] = "always"
    if has_evidence:
        sections["evidence"] = {"enabled": True}
    text = toml(sections)
    if has_events:
        text += "".join(toml({"[event]": event}) for event in EVENTS) + toml({"[plan]": PLAN})
    (folder / "device.toml").write_text(text)
    (folder / "policy.toml").write_text(POLICY)
    return Child([options.bin / "livesessionsd", "--config", folder / "device.toml", "--policy", folder / "policy.toml"],
                 folder / "daemon.log")


def _share(child, seconds):
    before, begin = usage.cpu_time(child.pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (usage.cpu_time(child.pid) - before) / (time.monotonic() - begin)


def _show(shares, memory):
    plain = shares["recording"]
    rows = [["", "% of a core", "beside plain recording", "points more", "RssAnon, MB"]]
    for name, values in shares.items():
        pairs = list(zip(values, plain))
        rows.append([name, table.spread(values, 2), table.spread([one / other for one, other in pairs], 3),
                     table.spread([one - other for one, other in pairs], 2), table.spread(memory[name], 1, 1e-6)])
    table.show("Recording all the time", rows)


if __name__ == "__main__":
    main()
