"""Whether a recovered disk holds what it must, given what had been answered before the power went."""
import dataclasses

from .aftermath import length

#: Milliseconds: a cluster, with the time that the machine's disk takes for it.
LOSS = 1_000
#: A sync is a transaction of the file system's journal, which takes two flushes; one of somebody else's may be under way.
FLUSHES = 4
#: As exact as the marks make the log's time.
RESOLUTION = 150


@dataclasses.dataclass
class Tally:
    #: Milliseconds that the disk takes for a flush.
    sync: int = 0
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
        # A manifest that recovery has made anew may say another time.
        loss = max(0, end - (final["createdAt"] + length(found.manifest) if has_media else begin))
        self.losses.append(loss)
        self.absent += found is None
        self.empty += found is not None and not has_media
        problems = [] if found is None else found.problems + _status_problems(found) + _lock_problems(found, story, state)
        if loss > LOSS + FLUSHES * self.sync + RESOLUTION:
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
