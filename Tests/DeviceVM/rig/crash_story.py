"""What had been asked and answered at each moment of the log of writes, as its marks say."""
import dataclasses
import json


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
