"""A peer made of GStreamer's webrtcbin, with a tone and moving pictures; for Debian's own Python, which has GStreamer.

Whoever starts it does the signalling, with JSON objects, one a line. It writes `{"event": …}` to standard output:
`offer` (with `sdp`, all candidates included), `state` (of the connection, with its `name`), and each second
`received`: how many `pictures` have been decoded so far, for how many `seconds` there has been sound, and its `tone`.
It reads `{"answer": sdp}` and `{"candidate": text, "index": which description}` from standard input, and ends with it.
"""
import argparse
import array
import json
import math
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

RATE = 48_000
OPUS = "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,payload=111"
VP8 = "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96"
DIGITS = "application/x-rtp,media=audio,encoding-name=TELEPHONE-EVENT,clock-rate=48000,payload=110"
#: Digits take the place of sound while they are sent.
KEYPAD = f"rtpdtmfsrc name=keypad ! {DIGITS} ! queue ! sound.priority_sink_0"
TONE = "audiotestsrc is-live=true freq={tone} volume=0.4 ! audio/x-raw,rate=48000,channels=1"
BALL = "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=30/1"
#: Both are fed by a :class:`Marks`; like GStreamer's live sources they go on where a blocked pipeline stopped them.
MARKED = "appsrc name={name} format=time is-live=true block=true max-bytes={octets} caps={caps}"
SOUND_CAPS = f"audio/x-raw,format=S16LE,rate={RATE},channels=1,layout=interleaved"
PICTURE_CAPS = "video/x-raw,format=I420,width=320,height=240,framerate=30/1"
#: A mark is a white picture and a loud tone at the same time: how often, and for how long.
MARK_PERIOD, MARK_LENGTH = 2.0, 0.1
PIPELINE = """
webrtcbin name=peer
{tone} ! opusenc ! rtpopuspay pt=111
  ! {opus} ! {sound} ! queue ! peer.sink_0
{keypad}
{pictures} ! vp8enc deadline=1 target-bitrate=300000 error-resilient=default ! rtpvp8pay pt=96 picture-id-mode=15-bit
  ! application/x-rtp,media=video,encoding-name=VP8,payload=96 ! queue ! peer.sink_1
"""
DECODERS = {
    "OPUS": f"rtpopusdepay ! opusdec ! audioconvert ! audioresample"
            f" ! audio/x-raw,format=S16LE,rate={RATE},channels=1 ! fakesink name=end signal-handoffs=true",
    "VP8": "rtpvp8depay ! vp8dec ! fakesink name=end signal-handoffs=true",
}


def tell(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def hide_digits(_, information):
    """Lets webrtcbin see that its pad carries sound, and not that it carries telephone-events: it offers what it sees."""
    event = information.get_event()
    if event.type != Gst.EventType.CAPS:
        return Gst.PadProbeReturn.OK
    name = event.parse_caps().get_structure(0).get_string("encoding-name")
    return Gst.PadProbeReturn.DROP if name == "TELEPHONE-EVENT" else Gst.PadProbeReturn.OK


def with_digits(offer):
    """The offer with telephone-events beside the sound."""
    lines = []
    for line in offer.splitlines():
        lines.append(f"{line} 110" if line.startswith("m=audio") else line)
        if line.startswith("a=rtpmap:111"):
            lines += ["a=rtpmap:110 telephone-event/48000", "a=fmtp:110 0-15"]
    return "\r\n".join(lines) + "\r\n"


class Received:
    """What has been decoded."""

    def __init__(self):
        self._pictures = 0
        self._samples = 0
        self._rises = 0
        self._is_above = False

    def take_picture(self, *_):
        self._pictures += 1

    def take_sound(self, _, buffer, *__):
        for sample in array.array("h", buffer.extract_dup(0, buffer.get_size())):
            self._rises += sample > 0 and not self._is_above
            self._is_above = sample > 0
            self._samples += 1

    def tell(self):
        seconds = self._samples / RATE
        tell("received", pictures=self._pictures, seconds=seconds, tone=self._rises / seconds if seconds else None)
        return True


class Marks:
    """Feeds an element with buffers of a rate, each when it is over; `make` says what is in a marked or another one."""

    def __init__(self, element, rate, make):
        self._element, self._rate = element, rate
        self._buffers = {is_marked: make(is_marked) for is_marked in (False, True)}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        begin, index, flow = time.monotonic(), 0, Gst.FlowReturn.OK
        while flow == Gst.FlowReturn.OK:
            at, following = (place * Gst.SECOND // self._rate for place in (index, index + 1))
            time.sleep(max(0.0, begin + following / Gst.SECOND - time.monotonic()))
            is_marked = index / self._rate % MARK_PERIOD < MARK_LENGTH - 1e-6
            buffer = Gst.Buffer.new_wrapped(self._buffers[is_marked])
            buffer.pts, buffer.duration = at, following - at
            flow = self._element.emit("push-buffer", buffer)
            index += 1


def marked_sound(tone, is_marked, count=RATE // 50):
    """20 ms, in which there are whole periods of the tone only where it is a multiple of 50 Hz."""
    volume = 0.6 if is_marked else 0.03
    return array.array("h", (
        int(volume * 32767 * math.sin(2 * math.pi * tone * place / RATE)) for place in range(count))).tobytes()


def marked_picture(is_marked):
    return bytes([235 if is_marked else 16]) * (320 * 240) + bytes([128]) * (320 * 240 // 2)


def receiver():
    """A pipeline that sends nothing."""
    pipeline = Gst.Pipeline.new()
    peer = Gst.ElementFactory.make("webrtcbin", "peer")
    pipeline.add(peer)
    for caps in (OPUS, VP8):
        peer.emit("add-transceiver", GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY, Gst.Caps.from_string(caps))
    return pipeline


class Peer:
    """Offers as soon as it runs."""

    def __init__(self, tone, policy, digits, has_marks, only_receives=False):
        sound = MARKED.format(name="tones", octets=RATE // 25, caps=SOUND_CAPS)
        pictures = MARKED.format(name="flashes", octets=320 * 240 * 3 // 2, caps=PICTURE_CAPS)
        self._pipeline = receiver() if only_receives else Gst.parse_launch(PIPELINE.format(
            tone=sound if has_marks else TONE.format(tone=tone), pictures=pictures if has_marks else BALL,
            opus=OPUS, sound="rtpdtmfmux name=sound" if digits else "identity", keypad=KEYPAD if digits else ""))
        self._tone, self._has_marks = tone, has_marks
        self._peer = self._pipeline.get_by_name("peer")
        self._digits = list(digits)
        if digits:
            source = self._pipeline.get_by_name("sound").get_static_pad("src")
            source.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, hide_digits)
        if policy:
            self._peer.set_property("bundle-policy", policy)
        self._received = Received()
        self._peer.connect("on-negotiation-needed", self._offer)
        self._peer.connect("notify::ice-gathering-state", self._gathering_changed)
        self._peer.connect("notify::connection-state", self._state_changed)
        self._peer.connect("pad-added", self._decode)

    def run(self):
        threading.Thread(target=self._read, daemon=True).start()
        GLib.timeout_add(1000, self._received.tell)
        self._pipeline.set_state(Gst.State.PLAYING)
        if self._has_marks:
            Marks(self._pipeline.get_by_name("tones"), 50, lambda is_marked: marked_sound(self._tone, is_marked))
            Marks(self._pipeline.get_by_name("flashes"), 30, marked_picture)
        self._loop = GLib.MainLoop()
        self._loop.run()
        self._pipeline.set_state(Gst.State.NULL)

    def _offer(self, _):
        self._peer.emit("create-offer", None, Gst.Promise.new_with_change_func(self._offered))

    def _offered(self, promise):
        # The offer lives no longer than the reply that it is read from.
        reply = promise.get_reply()
        offer = reply.get_value("offer")
        if self._digits:
            _, sdp = GstSdp.SDPMessage.new_from_text(with_digits(offer.sdp.as_text()))
            offer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.OFFER, sdp)
        self._peer.emit("set-local-description", offer, Gst.Promise.new())

    def _gathering_changed(self, *_):
        if self._peer.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            tell("offer", sdp=self._peer.get_property("local-description").sdp.as_text())

    def _state_changed(self, *_):
        name = self._peer.get_property("connection-state").value_nick
        tell("state", name=name)
        if name == "connected" and self._digits:
            GLib.timeout_add(1_000, self._press)

    def _press(self):
        """Presses the next key for 100 ms; false after the last."""
        digit = "0123456789*#ABCD".index(self._digits.pop(0))
        self._send_key(start=True, number=digit, volume=10)
        GLib.timeout_add(100, self._send_key)
        return bool(self._digits)

    def _send_key(self, start=False, **values):
        event = Gst.Structure.new_empty("dtmf-event")
        for name, value in {"type": 1, "method": 1, "start": start, **values}.items():
            event.set_value(name, value)
        keys = self._pipeline.get_by_name("keypad").get_static_pad("src")
        keys.send_event(Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, event))
        return False

    def _decode(self, _, pad):
        if pad.get_direction() != Gst.PadDirection.SRC:
            return
        codec = pad.get_current_caps().get_structure(0).get_string("encoding-name")
        decoder = Gst.parse_bin_from_description(DECODERS[codec], True)
        take = self._received.take_sound if codec == "OPUS" else self._received.take_picture
        decoder.get_by_name("end").connect("handoff", take)
        self._pipeline.add(decoder)
        decoder.sync_state_with_parent()
        pad.link(decoder.get_static_pad("sink"))

    def _read(self):
        for line in sys.stdin:
            GLib.idle_add(self._take, json.loads(line))
        GLib.idle_add(self._loop.quit)

    def _take(self, message):
        if "answer" in message:
            _, sdp = GstSdp.SDPMessage.new_from_text(message["answer"])
            answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, sdp)
            self._peer.emit("set-remote-description", answer, Gst.Promise.new())
        else:
            self._peer.emit("add-ice-candidate", message["index"], message["candidate"])
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tone", type=float, default=440)
    parser.add_argument("--bundle-policy", choices=["balanced", "max-compat", "max-bundle"], help="GStreamer's own without")
    parser.add_argument("--dial", default="", help="keys that are pressed, one a second, once it is connected")
    parser.add_argument("--marks", action="store_true", help="sound and pictures that show when they belong together")
    parser.add_argument("--receive-only", action="store_true", help="send neither")
    options = parser.parse_args()
    Gst.init(None)
    Peer(options.tone, options.bundle_policy, options.dial, options.marks, options.receive_only).run()


if __name__ == "__main__":
    main()
