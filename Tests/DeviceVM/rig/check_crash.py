"""The boot `crash-states`: the states in which a power cut can leave the disk, each recovered by the daemon."""
import concurrent.futures
import os
import pathlib
import shutil
import tempfile

from . import crash_states, write_log
from .aftermath import Examination
from .crash_judgement import Tally
from .crash_story import Story

#: Of all states.
QUICK = 30
#: So many images are on the host's disk at a time.
BATCH = 16


def check_states(results, *, programs, is_quick, seed, sync=0.0):
    """`sync` is what the disk takes for a flush, in seconds."""
    facts = results.facts
    results.check_done("disk.mounted", "the disk whose writes are logged is mounted")
    results.check_done("export.made", "an archive is exported")
    results.check_done("retention.deleted", "retention deletes an archive")
    entries = write_log.read(results.disk, int(facts.number("log.offset")))
    story = Story(entries, results.out)
    for step in ("renamed", "locked", "unlocked", "deleted"):
        results.check(story.named(step), f"an archive is {step}")
    if not results.check(len(story.finals) == 6 and story.named("finished"), "six archives end", len(story.finals)):
        return
    states = chosen_states(entries, story, is_quick, seed, results)
    tally = Tally(sync=round(sync * 1_000))
    disk_size = int(facts.number("log.offset"))
    with tempfile.TemporaryDirectory(prefix="livesessions-crash.") as folder:
        disk = crash_states.Disk(entries, disk_size, pathlib.Path(folder))
        for state, found in examine_all(states, disk, programs, pathlib.Path(folder)):
            tally.judge(state, story, found)
    report(results, tally)


def chosen_states(entries, story, is_quick, seed, results):
    finished = story.named("finished")[0].index
    every = [state for state in crash_states.plan(entries, story.begin(), seed) if state.horizon < finished]
    chosen = crash_states.choose(every, entries, QUICK, seed) if is_quick else every
    results.report.note(f"{len(entries)} entries in the log, {len(every)} states, {len(chosen)} of them examined")
    return chosen


def examine_all(states, disk, programs, folder):
    """Yields each state with what was found, examining as many at a time as there are processors."""
    examination = Examination(programs)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for first in range(0, len(states), BATCH):
            batch = states[first : first + BATCH]
            places = [make_place(disk, state, folder) for state in batch]
            yield from zip(batch, pool.map(lambda place: examine(examination, place), places))


def make_place(disk, state, folder):
    place = folder / str(state.number)
    place.mkdir()
    disk.image(state, place / "image")
    return place


def examine(examination, place):
    try:
        return examination.examine(place / "image", place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def report(results, tally):
    for state, problems, log in tally.failures[:10]:
        results.report.note(f"state {state.number} ({state.fate}, before entry {state.horizon}): {'; '.join(problems)}")
        for line in [line for line in log.splitlines() if "archive " in line][:5]:
            results.report.note(f"  {line[:200]}")
    results.check(
        tally.states > 0 and not tally.failures, "every state is recovered",
        f"{tally.states} states, {len(tally.failures)} bad")
    losses = sorted(tally.losses)
    if results.check(len(losses) > 0, "some cut a recording short", len(losses)):
        mean = sum(losses) / len(losses)
        results.report.note(
            f"{len(losses)} cut short, lost: mean {mean:.0f} ms, most {losses[-1]} ms; of them {tally.empty} without media yet, "
            f"{tally.absent} not on the disk yet")
