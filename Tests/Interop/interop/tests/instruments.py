"""The instruments themselves: a browser's loop-back call is read right, and a wrong stream is told from a right one."""
import time

from interop import measure, pattern, sequence, sound
from interop.browser import Browser
from interop.serving import StaticSite

LOOPBACK = """(async () => {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: true, audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
  const [near, far] = [new RTCPeerConnection(), new RTCPeerConnection()];
  near.onicecandidate = ({ candidate }) => candidate && far.addIceCandidate(candidate);
  far.onicecandidate = ({ candidate }) => candidate && near.addIceCandidate(candidate);
  window.remote = new MediaStream();
  far.ontrack = ({ track }) => window.remote.addTrack(track);
  for (const track of stream.getTracks()) near.addTrack(track, stream);
  await near.setLocalDescription();
  await far.setRemoteDescription(near.localDescription);
  await far.setLocalDescription();
  await near.setRemoteDescription(far.localDescription);
  const video = document.createElement("video");
  video.autoplay = true;
  video.srcObject = window.remote;
  document.body.append(video);
  await new Promise((resolve) => video.addEventListener("playing", resolve, { once: true }));
})()"""


def run(context):
    _count_rightly()
    camera, microphone = context.camera(), context.microphone()
    page_folder = context.scratch / "empty-site"
    page_folder.mkdir()
    (page_folder / "index.html").write_text("<!doctype html><title>loop</title><body></body>")
    with StaticSite(page_folder) as site, Browser(camera=camera, microphone=microphone) as browser:
        page = browser.page
        page.open(site.url)
        page.evaluate(LOOPBACK)
        measure.watch_frames(page, "video")
        time.sleep(5)
        seen = measure.frames_seen(page, context.camera_frames)
        samples, rate = measure.record_sound(page, "window.remote")
    seen.require("Chromium to itself", share=0.8)
    sound.require_tone(samples, rate, context.tone, "Chromium to itself")
    try:
        sound.require_tone(samples, rate, 1000, "the wrong tone")
    except AssertionError:
        return f"{seen}"
    raise AssertionError("a wrong tone was not noticed")


def _count_rightly():
    for number in (0, 1, 4711, (1 << 24) - 1):
        mark = pattern.Mark(number, number * 7 & 0xFFFFFF)
        picture = pattern.caller_picture(mark)
        if pattern.read(picture) != mark:
            raise AssertionError(f"{mark} reads as {pattern.read(picture)}")
    if pattern.read(picture * 0) is not None or pattern.read(picture * 0 + 255) is not None:
        raise AssertionError("a blank picture reads as a number")
    if sequence.examine([1, 2, 2, 4, 3, None]) != sequence.Sequence(4, 3, 1, 1, ((2, 1),)):
        raise AssertionError(f"miscounted: {sequence.examine([1, 2, 2, 4, 3, None])}")
    if sequence.examine([8, 9, 0, 1], period=10).made != 4:
        raise AssertionError("a clip that begins anew is miscounted")
    if sequence.missed([1, 2, 3, None, 4, 5, 6], [2, 2, None, 5]) != [3, 4]:
        raise AssertionError("missed pictures are miscounted")
