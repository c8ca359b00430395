"""Keys of a telephone for aiortc, which has none: packets of its sound are made telephone-events (RFC 4733)."""
import asyncio
import struct

PAYLOAD_TYPE = 110
CLOCK_RATE = 48_000
KEYS = "0123456789*#ABCD"


def offered(text):
    """The description with telephone-events beside the sound's codecs."""
    lines = []
    for line in text.splitlines():
        if line.startswith("m="):
            is_sound = line.startswith("m=audio")
            line += f" {PAYLOAD_TYPE}" if is_sound else ""
        lines.append(line)
        if line.startswith("a=rtcp-mux") and is_sound:
            lines += [f"a=rtpmap:{PAYLOAD_TYPE} telephone-event/{CLOCK_RATE}", f"a=fmtp:{PAYLOAD_TYPE} 0-15"]
    return "\r\n".join(lines) + "\r\n"


async def dial(connection, digits):
    """Presses one key each half second once the connection is there."""
    await press(connection, digits, pressed=0.1, ending=0.06, released=0.34)


async def press(connection, digits, *, pressed, ending, released):
    """Presses keys once the connection is there; all are seconds: of a key, of its last packets, and until the next."""
    while connection.connectionState != "connected":
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    sender = next(one for one in connection.getSenders() if one.kind == "audio")
    transport = sender.transport
    send, event = transport._send_rtp, None

    async def send_instead(packet):
        nonlocal event
        if event and struct.unpack_from("!I", packet, 8)[0] == sender._ssrc:
            packet = _telephone_event(packet, event)
        await send(packet)

    transport._send_rtp = send_instead
    for digit in digits:
        event = _Event(KEYS.index(digit))
        await asyncio.sleep(pressed)
        event.is_over = True
        await asyncio.sleep(ending)
        event = None
        await asyncio.sleep(released)


class _Event:
    """A key that is held; all its packets have the timestamp of the first."""

    def __init__(self, code):
        self.code, self.timestamp, self.is_over = code, None, False


def _telephone_event(packet, event):
    now = struct.unpack_from("!I", packet, 4)[0]
    if event.timestamp is None:
        event.timestamp = now
    head = 12 + 4 * (packet[0] & 0x0F)
    if packet[0] & 0x10:
        head += 4 + 4 * struct.unpack_from("!H", packet, head + 2)[0]
    duration = (now - event.timestamp) % (1 << 32) + CLOCK_RATE // 50
    payload = struct.pack("!BBH", event.code, 0x8A if event.is_over else 0x0A, duration)
    first = bytes([packet[0] & ~0x20, PAYLOAD_TYPE]) + packet[2:4] + struct.pack("!I", event.timestamp)
    return first + packet[8:head] + payload
