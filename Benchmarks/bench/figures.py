"""What was found, as JSON for programs: seconds, bytes and percent of a core, one number a round."""
import dataclasses
import datetime
import json
import os
import pathlib


def processor():
    """The name of the machine's processor."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def write(path: pathlib.Path, options, disturbance, found):
    """Writes one object: the machine and how busy it was, how long was measured, and what was `found`."""
    now = datetime.datetime.now(datetime.timezone.utc)
    figures = {
        "measuredAt": now.isoformat(timespec="seconds"), "processor": processor(), "cores": os.cpu_count(),
        "othersPercent": disturbance.others, "stolenPercent": disturbance.stolen,
        "seconds": options.seconds, "rounds": options.rounds, **found}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1, default=dataclasses.asdict) + "\n")


def recording(rounds, memory):
    """Each program's recordings of the same pictures and samples: CPU seconds by round, RssAnon in bytes."""
    programs = {"livesessionsd": {"cpu": [one.recording.total for one in rounds], "anonymous": memory}}
    for name in rounds[0].peers:
        runs = [one.peers[name] for one in rounds]
        programs[name] = {"cpu": [run.cpu for run in runs], "anonymous": max(run.anonymous for run in runs)}
    return programs
