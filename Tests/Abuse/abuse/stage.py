"""One attack between what was before and what is after: bystanders, memory, and what the attack itself found."""
import contextlib
import dataclasses
import time

from abuse.bystander import Call, Logins
from abuse.world import AttackedWorld


@dataclasses.dataclass
class Row:
    """What one attack came to."""

    name: str
    checks: int = 0
    failures: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    login: str = "–"
    pictures: str = "–"
    memory: dict = dataclasses.field(default_factory=dict)
    seconds: float = 0.0

    @property
    def result(self):
        return "held" if not self.failures else f"{len(self.failures)} of {self.checks} failed"


class Stage:
    """What an attack is given."""

    def __init__(self, context, world, row, stack):
        self.context = context
        self._stack, self._begin = stack, time.monotonic()
        self.world = world
        self.port = world.port
        self.is_quick = context.is_quick
        #: What a login may take on this machine.
        self.login_limit = 0.0
        self.logins = None
        self._row = row

    def check(self, is_good, words):
        """Notes whether something that has to hold does; an attack goes on in any case."""
        self._row.checks += 1
        if not is_good:
            self._row.failures.append(words)
            self._tell(f"! {words}")
        return is_good

    def note(self, words):
        """Says what was measured."""
        self._row.notes.append(words)
        self._tell(words)

    def _tell(self, words):
        """A verbose run tells at once, since attacks may be cut off."""
        if self.context.is_verbose:
            print(f"  {time.monotonic() - self._begin:6.1f} s: {words}", flush=True)

    def keep(self, manager):
        """Enters a context manager for as long as the bystanders watch, and returns what it gives."""
        return self._stack.enter_context(manager)


def perform(context, name, attack):
    """Runs one attack module on programs of its own and returns its row."""
    row, begin = Row(name), time.monotonic()
    with AttackedWorld(context, attack) as world:
        with contextlib.ExitStack() as stack:
            stage = Stage(context, world, row, stack)
            _watch(stage, row, attack, stack)
        stage.check(not world.dead(), f"{' and '.join(world.dead())} died")
        if row.failures and context.is_verbose:
            print(world.hub_log()[-4_000:], repr(world.device_log()[-6_000:]), sep="\n")
    row.seconds = time.monotonic() - begin
    return row


def _watch(stage, row, attack, stack):
    """The attack, with bystanders around it; what they saw goes into the row."""
    if hasattr(attack, "begin"):
        attack.begin(stage)
    call = stack.enter_context(Call(stage.context, stage.world)) if getattr(attack, "HAS_CALL", True) else None
    logins = stack.enter_context(Logins(stage.port)) if getattr(attack, "HAS_HUB", True) else None
    if hasattr(attack, "prepare"):
        attack.prepare(stage)
    watched = [stack.enter_context(memory) for memory in stage.world.processes()]
    stage.login_limit = logins.limit if logins else 0.0
    stage.logins = logins
    attack.attack(stage)
    _look_at_memory(stage, row, watched, attack)
    if logins:
        row.login = str(logins)
        for complaint in logins.complaints():
            stage.check(False, complaint)
    if call:
        _look_at_call(stage, row, call)


def _look_at_memory(stage, row, watched, attack):
    for memory in watched if not stage.world.dead() else []:
        is_back = memory.settle(stage.context.patience + getattr(attack, "KEPT_FOR", 0))
        row.memory[memory.name] = str(memory)
        stage.check(is_back, f"the {memory.name}'s memory (before/peak/after {memory} MB) is not given back")


def _look_at_call(stage, row, call):
    if not stage.check(call.is_up and not stage.world.dead(), "a bystander's call ended"):
        return
    lost, seen = call.lost()
    row.pictures = f"{lost} of {seen + lost}"
    stage.check(not lost, f"a bystander's call lost {lost} of {seen + lost} pictures")

