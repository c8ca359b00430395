"""A USB camera without hardware: plugged into the kernel's virtual host controller, served by uvcvideo.

usage: python3 camera PICTURES; PICTURES/modes lists what it can do, PICTURES/MJPG-640x360/* are one mode's pictures.

It obeys lines on its standard input: `plug`, `unplug`, `fault NAME` (`fault none` ends it), `stall` (until the host clears
it). It tells what happens on its standard output, each line with the milliseconds of the wall clock.
"""
import os
import pathlib
import select
import struct
import sys
import time

import descriptors
import negotiation
import usbip
from stream import Stream

GET_STATUS, CLEAR_FEATURE, GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION, SET_INTERFACE = 0, 1, 6, 8, 9, 11
SET_CUR, GET_CUR, GET_MIN, GET_MAX, GET_LEN, GET_INFO, GET_DEF = 0x01, 0x81, 0x82, 0x83, 0x85, 0x86, 0x87
PROBE, COMMIT = 1, 2


def tell(*words):
    print(int(time.time() * 1_000), *words, flush=True)


class Stall(Exception):
    """The device refuses a control transfer."""


class Camera:
    def __init__(self, folder):
        self._modes = descriptors.read_modes((folder / "modes").read_text())
        self._pictures = {
            mode.name: [path.read_bytes() for path in sorted((folder / mode.name).iterdir())] for mode in self._modes}
        self._fault = "none"
        self._connection = None
        self._unplugged()

    def _unplugged(self):
        self._probe = self._commit = negotiation.usual(self._modes)
        self._waiting = []
        self._stream = None
        self._is_stalled = False

    # What the test wants.

    def obey(self, line):
        word, *values = line.split()
        if word == "fault":
            (self._fault,) = values
        elif word == "stall":
            self._is_stalled = True
            self._deliver()
        elif word == "plug":
            self._connection = usbip.Connection()
        elif word == "unplug":
            self._unplug()
        else:
            raise ValueError(f"no such order: {line}")
        tell(word, *values)

    def _unplug(self):
        self._stop()
        self._connection.close()
        self._connection = None
        self._unplugged()

    # What the host wants.

    def serve(self, timeout):
        """Waits for the host, for the test and for the next picture. Returns False when the test has gone."""
        sources = [sys.stdin] + ([self._connection] if self._connection else [])
        if self._stream:
            timeout = min(timeout, max(0, self._stream.due - time.monotonic()))
        ready, _, _ = select.select(sources, [], [], timeout)
        try:
            self._serve_host(self._connection in ready)
        except ConnectionError:
            tell("detached")
            self._unplug()
        if sys.stdin in ready:
            orders = os.read(sys.stdin.fileno(), select.PIPE_BUF).decode()
            for line in orders.splitlines():
                self.obey(line)
            return orders != ""
        return True

    def _serve_host(self, has_sent):
        if has_sent:
            self._take_messages()
        if self._stream:
            self._stream.advance(time.monotonic(), self._fault)
            self._deliver()

    def _take_messages(self):
        for message in self._connection.receive():
            if isinstance(message, usbip.Unlink):
                self._unlink(message)
            elif message.endpoint == 0:
                self._control(message)
            else:
                self._waiting.append(message)
        self._deliver()

    def _unlink(self, message):
        left = [transfer for transfer in self._waiting if transfer.number != message.target]
        self._connection.answer_unlink(message, was_open=len(left) < len(self._waiting))
        self._waiting = left

    def _deliver(self):
        """Answers waiting transfers as far as there is something to say."""
        while self._waiting:
            if self._is_stalled:
                self._connection.answer(self._waiting.pop(0), status=usbip.STALL)
                continue
            payload = self._stream.next_payload(self._fault) if self._stream else None
            if payload is None:
                return
            self._connection.answer(self._waiting.pop(0), payload)

    def _control(self, transfer):
        kind, request, value, index, length = struct.unpack("<BBHHH", transfer.setup)
        try:
            if kind & 0x60 == 0x20:
                data = self._video_request(request, value >> 8, index, transfer.data)
            else:
                data = self._standard_request(request, value, index)
        except Stall:
            self._connection.answer(transfer, status=usbip.STALL)
        else:
            self._connection.answer(transfer, data[:length])

    def _standard_request(self, request, value, index):
        if request == GET_DESCRIPTOR:
            return self._descriptor(value >> 8, value & 0xFF)
        if request == GET_STATUS:
            return bytes(2)
        if request == GET_CONFIGURATION:
            return b"\x01"
        if request == CLEAR_FEATURE and index == descriptors.STREAMING_ENDPOINT:
            # With this a host stops a stream of bulk transfers.
            self._is_stalled = False
            self._stop()
        elif request not in (CLEAR_FEATURE, SET_CONFIGURATION, SET_INTERFACE):
            raise Stall
        return b""

    def _descriptor(self, kind, index):
        if kind == descriptors.DEVICE:
            return descriptors.device()
        if kind == descriptors.CONFIGURATION:
            return descriptors.configuration(self._modes)
        if kind == descriptors.STRING and index <= len(descriptors.STRINGS):
            return descriptors.string(index)
        raise Stall

    def _video_request(self, request, selector, index, data):
        if index != descriptors.STREAMING_INTERFACE or selector not in (PROBE, COMMIT):
            raise Stall
        if request == SET_CUR:
            return self._choose(selector, data)
        if request in (GET_CUR, GET_MIN, GET_MAX):
            return (self._probe if selector == PROBE else self._commit).encode()
        if request == GET_DEF:
            return negotiation.usual(self._modes).encode()
        if request == GET_LEN:
            return struct.pack("<H", negotiation.CONTROL.size)
        if request == GET_INFO:
            return b"\x03"
        raise Stall

    def _choose(self, selector, data):
        choice = negotiation.nearest(self._modes, data)
        if selector == PROBE:
            self._probe = choice
            return b""
        if self._fault == "refusing":
            tell("refused")
            raise Stall
        self._stop()
        self._commit = choice
        self._stream = Stream(choice, self._pictures[choice.mode.name], negotiation.PAYLOAD_SIZE)
        tell("started", choice.mode.name, f"{descriptors.TICKS / choice.interval:.2f}")
        return b""

    def _stop(self):
        if self._stream:
            tell("stopped", self._stream.begun, "begun", self._stream.skipped, "skipped")
        self._stream = None


def main():
    camera = Camera(pathlib.Path(sys.argv[1]))
    tell("ready")
    while camera.serve(timeout=1):
        pass


if __name__ == "__main__":
    main()
