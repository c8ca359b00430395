"""Calls of which some end with the caller gone without a word: what is to happen in each, drawn by chance."""
import dataclasses
import json
import random
import uuid

#: How an action is asked for (by the page's means, or by these keys, one of them with a PIN behind it), and how many
#: seconds that and the action take.
ACTIONS = {"signal": 0.8, "9": 2.3, "*14711#": 5.3}
#: From which moment on a caller may vanish, and for how many seconds; a call that rings is `placed` for longer.
MOMENTS = {"placed": 0.05, "answered": 0.25, "connected": 2.0, "acting": 0.0}
RINGING = 1.0
#: The process is killed, with all that its sockets hold, or it lives and sends no datagram any more.
WAYS = ("killed", "silent")
#: Of calls.
VANISHING, ACTING, NEVER_ANSWERED = 0.2, 0.3, 0.5


@dataclasses.dataclass(frozen=True)
class Plan:
    """One call."""

    number: int
    session: str
    #: From the connection to the hang-up.
    seconds: float
    action: str = ""
    #: One of MOMENTS, how long after it, and which way; empty for a caller who hangs up.
    vanishes: str = ""
    delay: float = 0.0
    way: str = ""
    #: A call that rings is answered after so long, or never.
    answered_after: float | None = None


def draw(count, seed, rings, share=VANISHING):
    """Calls of one person, of which a `share` vanishes; `rings` says whether somebody has to answer them."""
    chance = random.Random(seed)
    return [_one(chance, number, rings, share) for number in range(count)]


def _one(chance, number, rings, share):
    moment = chance.choice(list(MOMENTS)) if chance.random() < share else ""
    is_acting = moment == "acting" or chance.random() < ACTING
    action = chance.choice(list(ACTIONS)) if is_acting else ""
    is_answered = moment != "placed" or chance.random() > NEVER_ANSWERED
    return Plan(
        number, str(uuid.UUID(int=chance.getrandbits(128), version=4)), chance.uniform(0.5, 2.5), action=action,
        vanishes=moment, delay=chance.uniform(0, _span(moment, action, rings)), way=chance.choice(WAYS) if moment else "",
        answered_after=chance.uniform(0, 0.8) if rings and is_answered else None)


def _span(moment, action, rings):
    if moment == "acting":
        return ACTIONS[action]
    return RINGING if moment == "placed" and rings else MOMENTS.get(moment, 0.0)


def write(path, plans):
    path.write_text("".join(json.dumps(dataclasses.asdict(plan)) + "\n" for plan in plans))


def read(path):
    return [Plan(**json.loads(line)) for line in path.read_text().splitlines()]
