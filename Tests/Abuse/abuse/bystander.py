"""Somebody who has nothing to do with an attack: logs in now and then, and watches a call's pictures."""
import threading
import time

from interop import archives, sequence, webm
from interop.background import Background
from interop.calling import Caller
from interop.world import DEVICE_TONE

from abuse import world as accounts
from abuse.client import Client

#: Seconds that a login may take; where it takes long already while nobody attacks, so many times that.
LOGIN_LIMIT, BUSY = 1.0, 3
#: How many logins tell how long one takes while nobody attacks.
QUIET_LOGINS = 3
#: The first logins come each second, later ones as often as a hub that counts twenty a minute lets them.
FIRST_LOGINS, FIRST_PAUSE, LATER_PAUSE = 10, 1.0, 3.2


class Logins(Background):
    """Logs in again and again from an address of its own while entered, each time over a new connection, as a client
    that has been there before."""

    def __init__(self, port):
        super().__init__()
        self._port = port
        self._answers = []
        self._client_token = None
        self._quiet = 0.0
        self._attempt = threading.Lock()

    def __enter__(self):
        for _ in range(QUIET_LOGINS):
            self._log_in()
        self._quiet = self.worst
        self._answers.clear()
        self._log_in()
        return super().__enter__()

    def resting(self):
        """No login comes while this is entered: for a hub that is started anew."""
        return self._attempt

    @property
    def worst(self):
        return max(answer.seconds for answer in self._answers)

    @property
    def limit(self):
        return max(LOGIN_LIMIT, BUSY * self._quiet)

    @property
    def count(self):
        return len(self._answers)

    def complaints(self):
        """What was wrong with any of the logins."""
        refused = sorted({answer.status for answer in self._answers if not answer.is_success})
        found = [f"a bystander's right login was answered {', '.join(map(str, refused))}"] if refused else []
        if self.worst > self.limit:
            found.append(f"a bystander's login took {self.worst:.1f} s, before the attack {self._quiet:.1f} s")
        return found

    def __str__(self):
        return f"{self.worst * 1000:.0f} ms ({self._quiet * 1000:.0f} before)"

    def _run(self):
        while not self._is_over.wait(FIRST_PAUSE if self.count < FIRST_LOGINS else LATER_PAUSE):
            with self._attempt:
                self._log_in()

    def _log_in(self):
        client = Client(self._port)
        answer = client.login(*accounts.BYSTANDER, client_token=self._client_token)
        client.close()
        self._answers.append(answer)
        if answer.is_success:
            self._client_token = answer.json.get("clientToken")


class Call:
    """A call that the device records, with a peer that tells which pictures it saw; up while entered."""

    #: Longer than any attack; the device hangs up before.
    SECONDS = 900
    #: What jitter buffers need to settle.
    WARM_UP = 2.0

    def __init__(self, context, world):
        self._world = world
        self._caller = Caller(context, world, seconds=self.SECONDS)
        self._session = None

    def __enter__(self):
        self._caller.__enter__()
        self._caller.wait_for("connected")
        [answered] = self._caller.events("answered")
        self._session = answered["session"]
        self._caller.wait_for("received")
        time.sleep(self.WARM_UP)
        return self

    def __exit__(self, *_):
        self._caller.__exit__()

    @property
    def is_up(self):
        return not self._caller.events("ended")

    def lost(self):
        """Hangs up; returns how many pictures the device made and the peer did not see, and how many it saw."""
        self._world.command("hangup", self._session)
        self._caller.wait_for("ended", limit=15)
        seen = [event["number"] for event in self._caller.events("received")]
        return len(sequence.missed(self._made(), seen)), len(seen)

    def _made(self):
        """The numbers of the pictures in this call's recording."""
        def is_of_call(archive):
            return archive.manifest["sessionId"] == self._session and archive.manifest["status"] == "available"
        deadline = time.monotonic() + 15
        while not (found := [one for one in archives.read(self._world.archive_folder) if is_of_call(one)]):
            if time.monotonic() > deadline:
                raise TimeoutError("the call's recording is not complete")
            time.sleep(0.1)
        return webm.frame_numbers(found[0].file_with_tone(DEVICE_TONE))
