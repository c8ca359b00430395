"""The boot `crash-states`: every state in which a power cut can leave the disk, each recovered by the daemon."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import tempfile
import threading

from . import crash_states, write_log
from .aftermath import Examination, length

#: Milliseconds: a cluster, with the time that the machine's disk takes for it.
LOSS = 1_000
#: As exact as the marks make the log's time.
RESOLUTION = 150
QUICK = 30


@dataclasses.dataclass(frozen=True)
class Step:
    index: int
    name: str
    archive: str
    value: str
    #: Milliseconds since 1970.
    time: int


class Story:
    """What happened while the log was kept, as its marks say."""

    def __init__(self, entries, out):
        fields = [(index, *entry.mark.split(",")) for index, entry in enumerate(entries) if entry.mark.count(",") == 3]
        self._all = [Step(index, name, archive, value, int(time)) for index, name, archive, value, time in fields]
        self.steps = [step for step in self._all if step.name != "time"]
        ended = [step.archive for step in self.named("ended")]
        self.finals = {archive: json.loads((out / f"{archive}.json").read_text()) for archive in ended}

    def named(self, name):
        return [step for step in self.steps if step.name == name]

    def begin(self):
        return self.named("prepared")[0].index

    def until(self, index):
        """The time at which the entry had not happened yet, or at most that of a mark later."""
        return next((step.time for step in self._all if step.index > index), self._all[-1].time)

    def done(self, name, archive, index):
        """The last step of this name that comes before the entry."""
        steps = [step for step in self.named(name) if step.archive == archive and step.index < index]
        return steps[-1] if steps else None


@dataclasses.dataclass
class Tally:
    states: int = 0
    failures: list = dataclasses.field(default_factory=list)
    #: Milliseconds, of each recording that the power cut ended.
    losses: list = dataclasses.field(default_factory=list)
    #: Recordings of which nothing was on the disk yet.
    empty: int = 0
    absent: int = 0

    def judge(self, state, story, found):
        self.states += 1
        problems = list(found.problems)
        for archive in found.archives.keys() - story.finals.keys():
            problems.append(f"archive {archive} was never begun")
        for archive in story.finals:
            problems += self._judge_archive(archive, found.archives.get(archive), state, story)
        if problems:
            self.failures.append((state, problems, found.log))

    def _judge_archive(self, archive, found, state, story):
        def done(name):
            return story.done(name, archive, state.horizon)

        if not done("started"):
            # What has been asked for may have begun.
            return found.problems if found else []
        if done("deleting") and not found:
            return []
        if done("deleted"):
            return [f"{archive} was deleted and is back"]
        if done("ended"):
            return _complete(archive, found, story, state)
        return self._cut_short(archive, found, story, state)

    def _cut_short(self, archive, found, story, state):
        """It was being recorded, or about to be complete."""
        final = story.finals[archive]
        begin = final["createdAt"] + min((file["startTimeOffset"] for file in final["files"]), default=0)
        end = min(story.until(state.horizon), final["createdAt"] + length(final))
        has_media = found is not None and found.manifest["files"] != []
        loss = max(0, end - (found.end if has_media else begin))
        self.losses.append(loss)
        self.absent += found is None
        self.empty += found is not None and not has_media
        problems = [] if found is None else found.problems + _status_problems(found) + _lock_problems(found, story, state)
        if loss > LOSS + RESOLUTION:
            problems.append(f"{archive} lacks {loss} ms")
        return problems


def _status_problems(found):
    manifest = found.manifest
    if manifest["files"]:
        return [] if manifest["status"] == "available" else [f"has media and is called {manifest['status']}"]
    good = manifest["status"] == "failed" and manifest["reason"]
    return [] if good else [f"{manifest['id']} holds nothing and is called {manifest['status']} ({manifest['reason']})"]


def _complete(archive, found, story, state):
    """It was complete, and what was answered since then holds."""
    if not found:
        return [f"{archive} was complete and is lost"]
    final = story.finals[archive]
    problems = found.problems + _status_problems(found)
    for key in ("status", "reason", "duration", "size", "createdAt", "files"):
        if found.manifest[key] != final[key]:
            problems.append(f"{archive}: {key} is {found.manifest[key]} instead of {final[key]}")
    return problems + _name_problems(found, story, state) + _lock_problems(found, story, state)


def _name_problems(found, story, state):
    archive, name = found.manifest["id"], found.manifest["name"]
    asked = story.done("renaming", archive, state.horizon)
    allowed = {asked.value if asked else ""}
    if asked and not story.done("renamed", archive, state.horizon):
        allowed.add("")
    return [] if name in allowed else [f"{archive} is called '{name}' instead of '{allowed.pop()}'"]


def _lock_problems(found, story, state):
    archive = found.manifest["id"]
    locking, locked, unlocking, unlocked = (
        bool(story.done(name, archive, state.horizon)) for name in ("locking", "locked", "unlocking", "unlocked"))
    if locking != locked or unlocking != unlocked:
        return []
    wanted = locked and not unlocked
    return [] if found.listed["isLocked"] == wanted else [f"{archive} {'was locked and is not' if wanted else 'is locked'}"]


def check_states(results, *, programs, is_quick, seed):
    facts = results.facts
    results.check_done("disk.mounted", "the disk whose writes are logged is mounted")
    results.check_done("export.made", "an archive is exported")
    results.check_done("retention.deleted", "retention deletes an archive")
    entries = write_log.read(results.disk, int(facts.number("log.offset")))
    story = Story(entries, results.out)
    if not results.check(len(story.finals) == 6 and story.named("finished"), "six archives end", len(story.finals)):
        return
    states = chosen_states(entries, story, is_quick, seed, results)
    tally = examine_all(states, entries, story, int(facts.number("log.offset")), programs)
    report(results, tally)


def chosen_states(entries, story, is_quick, seed, results):
    finished = story.named("finished")[0].index
    every = [state for state in crash_states.plan(entries, story.begin(), seed) if state.horizon < finished]
    chosen = crash_states.choose(every, entries, QUICK, seed) if is_quick else every
    results.report.note(f"{len(entries)} entries in the log, {len(every)} states, {len(chosen)} of them examined")
    return chosen


def examine_all(states, entries, story, size, programs):
    """Examines as many states at a time as there are processors."""
    tally = Tally()
    examination = Examination(programs)
    workers = os.cpu_count() or 1
    room = threading.Semaphore(2 * workers)
    with tempfile.TemporaryDirectory(prefix="livesessions-crash.") as name:
        folder = pathlib.Path(name)
        disk = crash_states.Disk(entries, size, folder)

        def examine(state, place):
            try:
                return state, examination.examine(place / "image", place)
            finally:
                shutil.rmtree(place, ignore_errors=True)
                room.release()

        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            pending = []
            for state in states:
                room.acquire()
                place = folder / str(state.number)
                place.mkdir()
                disk.image(state, place / "image")
                pending.append(pool.submit(examine, state, place))
            for future in pending:
                tally.judge(future.result()[0], story, future.result()[1])
    return tally


def report(results, tally):
    for state, problems, log in tally.failures[:10]:
        results.report.note(f"state {state.number} ({state.fate}, before entry {state.horizon}): {'; '.join(problems)}")
        results.report.note(log[-600:])
    results.check(
        tally.states > 0 and not tally.failures, "every state is recovered",
        f"{tally.states} states, {len(tally.failures)} bad")
    losses = sorted(tally.losses)
    if results.check(len(losses) > 0, "some cut a recording short", len(losses)):
        mean = sum(losses) / len(losses)
        results.report.note(
            f"{len(losses)} cut short, lost: mean {mean:.0f} ms, most {losses[-1]} ms; of them {tally.empty} without media yet, "
            f"{tally.absent} not on the disk yet")
