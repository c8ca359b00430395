"""A sentinel of Redis that says whatever a test wants, and an impostor that calls itself a master."""
import contextlib
import socket
import threading
import time

MASTER = "livesessions"
#: Seconds for which one that flaps says the same.
FLAP = 0.1


class Speaker:
    """Speaks Redis' protocol while entered: `answer(words, end)` returns the reply's octets, or None where it has said all."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ends, self._is_over = set(), False

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        self._listener.close()
        self.end_all()

    def end_all(self):
        for end in list(self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while not self._is_over:
            try:
                end, _ = self._listener.accept()
            except OSError:
                return
            self._ends.add(end)
            threading.Thread(target=self._serve, args=(end,), daemon=True).start()

    def _serve(self, end):
        with contextlib.suppress(OSError, ValueError), end:
            reader = end.makefile("rb")
            while line := reader.readline():
                words = []
                for _ in range(int(line[1:])):
                    words.append(reader.read(int(reader.readline()[1:])).decode())
                    reader.readline()
                reply = self.answer(words, end)
                if reply:
                    end.sendall(reply)
        self._ends.discard(end)

    def answer(self, words, end):
        """What every server of Redis answers to the words before."""
        return {"PING": b"+PONG\r\n", "ROLE": b"*1\r\n$8\r\nsentinel\r\n"}.get(words[0].upper(), b"+OK\r\n")


class Impostor(Speaker):
    """Calls itself a master, and knows nothing."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def answer(self, words, end):
        self.asked.append(words)
        if words[0].upper() == "ROLE":
            return b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
        if words[0].upper() in ("PING", "CLIENT", "AUTH"):
            return super().answer(words, end)
        return b"-ERR no such thing\r\n"


class Sentinel(Speaker):
    """`places`: the ports of the "master", a "replica", "nobody" and an "impostor"."""

    def __init__(self, places):
        super().__init__()
        self.kind = "truth"
        self._places = {**places, "itself": self.port}
        #: Questions since it became what it is.
        self.questions = 0

    def become(self, kind):
        self.kind, self.questions = kind, 0
        self.end_all()

    def answer(self, words, end):
        if words[0].upper() != "SENTINEL":
            return super().answer(words, end)
        self.questions += 1
        if self.kind in self._places:
            return _address("127.0.0.1", self._places[self.kind])
        return getattr(self, "_" + self.kind)(end)

    def _truth(self, _):
        return _address("127.0.0.1", self._places["master"])

    def _flapping(self, _):
        """The master for a tenth of the time."""
        names = ["nobody", "replica", "itself", "nobody", "replica", "master", "nobody", "replica", "itself", "nobody"]
        return _address("127.0.0.1", self._places[names[int(time.monotonic() / FLAP) % len(names)]])

    def _silent(self, _):
        return None

    def _strange(self, _):
        """A name that a look-up takes long for, and no port."""
        return _address("a" * 60 + ".invalid", 99_999)

    def _endless_text(self, end):
        end.sendall(b"$2000000000\r\n")
        while True:
            end.sendall(bytes(65_536))

    def _endless_array(self, end):
        end.sendall(b"*1000000\r\n")
        while True:
            end.sendall(b"$1\r\nx\r\n" * 10_000)

    def _many_replies(self, end):
        while True:
            end.sendall(b":1\r\n" * 10_000)

    def _nested(self, end):
        end.sendall(b"*1\r\n" * 100_000)

    def _dripping(self, end):
        while True:
            end.sendall(b"$")
            time.sleep(0.5)


def _address(host, port):
    return f"*2\r\n${len(host)}\r\n{host}\r\n${len(str(port))}\r\n{port}\r\n".encode()
