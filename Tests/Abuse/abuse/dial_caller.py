"""A caller that dials PINs without end; `python -m abuse.dial_caller`, options as interop.caller, with any `--dial`.

It tells `dialled` with how many it has dialled, once it is done.
"""
import itertools
import time

from interop import aiortc_keypad, caller
from interop.aiortc_media import tell

SECONDS = 40.0
#: The code of the action, the PIN, and what ends it.
GUESS = "*1{:06d}#"
#: Each has a packet of sound or two.
PACE = {"pressed": 0.03, "ending": 0.03, "released": 0.02}


async def dial(connection, _):
    """Guesses from 0 on."""
    begin, count = None, 0

    def guesses():
        nonlocal begin, count
        begin = begin or time.monotonic()
        for guess in itertools.count():
            if time.monotonic() - begin > SECONDS:
                return
            yield from GUESS.format(guess)
            count += 1

    await aiortc_keypad.press(connection, guesses(), **PACE)
    tell("dialled", count=count)


if __name__ == "__main__":
    aiortc_keypad.dial = dial
    caller.main()
