"""The device's side of USB/IP (the kernel's Documentation/usb/usbip_protocol.rst).

The kernel's vhci-hcd takes one end of a pair of connected sockets and sends each URB through it; nothing listens.
"""
import pathlib
import socket
import struct
import time
import typing

CONTROLLER = pathlib.Path("/sys/devices/platform/vhci_hcd.0")
#: As the kernel counts: 3 is USB 2.0's high speed.
HIGH_SPEED = 3
DEVICE_ID = 0x10002
#: Seconds until a port must be free after what was plugged in there has gone.
PORT_LIMIT = 5

HEADER_SIZE = 48
BASIC_HEADER = struct.Struct(">5I")
SUBMIT_BODY = struct.Struct(">IiiiI8s")
UNLINK_BODY = struct.Struct(">I")
COMMAND_SUBMIT, COMMAND_UNLINK, REPLY_SUBMIT, REPLY_UNLINK = 1, 2, 3, 4
#: Statuses of URBs: Linux' error numbers.
STALL, UNLINKED = -32, -104


class Transfer(typing.NamedTuple):
    """A URB that the kernel submitted. It is open until it is answered."""

    number: int
    endpoint: int
    is_in: bool
    length: int
    #: The eight bytes that begin a control transfer.
    setup: bytes
    #: What goes to the device.
    data: bytes


class Unlink(typing.NamedTuple):
    """The kernel takes a transfer back."""

    number: int
    #: The transfer's number.
    target: int


class Connection:
    """A device that is plugged in, from `attach` to `close`."""

    def __init__(self):
        self._received = bytearray()
        self._socket, controller = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with controller:
            self._attach(controller.fileno())

    @staticmethod
    def _attach(descriptor):
        deadline = time.monotonic() + PORT_LIMIT
        while True:
            try:
                return (CONTROLLER / "attach").write_text(f"0 {descriptor} {DEVICE_ID} {HIGH_SPEED}")
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def fileno(self):
        return self._socket.fileno()

    def close(self):
        """Unplugs the device."""
        self._socket.close()

    def receive(self):
        """What the kernel has sent: transfers, and the numbers of those that it takes back.

        Raises ConnectionError when the kernel has closed the connection.
        """
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("detached")
        self._received += data
        while (message := self._first_message()) is not None:
            yield message

    def _first_message(self):
        if len(self._received) < HEADER_SIZE:
            return None
        command, number, _, direction, endpoint = BASIC_HEADER.unpack_from(self._received)
        if command == COMMAND_UNLINK:
            (target,) = UNLINK_BODY.unpack_from(self._received, BASIC_HEADER.size)
            del self._received[:HEADER_SIZE]
            return Unlink(number, target)
        _, length, _, _, _, setup = SUBMIT_BODY.unpack_from(self._received, BASIC_HEADER.size)
        end = HEADER_SIZE + (0 if direction else length)
        if len(self._received) < end:
            return None
        data = bytes(self._received[HEADER_SIZE:end])
        del self._received[:end]
        return Transfer(number, endpoint, bool(direction), length, setup, data)

    def answer(self, transfer, data=b"", status=0):
        """Completes a transfer. Without `data` one to the device took everything."""
        length = len(data) if transfer.is_in or status else transfer.length
        self._socket.sendall(
            BASIC_HEADER.pack(REPLY_SUBMIT, transfer.number, 0, 0, 0) + struct.pack(">5i8x", status, length, 0, 0, 0) + data)

    def answer_unlink(self, unlink, was_open):
        """A transfer that had been answered already counts as done."""
        status = UNLINKED if was_open else 0
        self._socket.sendall(BASIC_HEADER.pack(REPLY_UNLINK, unlink.number, 0, 0, 0) + struct.pack(">i24x", status))
