// Plays a device in a <video> by WHEP, in plain JavaScript. `link` comes from `livesessions-hub view-link`; with an account's
// token it is https://HUB/v1/whep/DEVICE.

/** Resolves once the device has answered, to what stops it; rejects with `error.wait`, seconds until the next attempt. */
export async function play(video, link, { token, onLost = () => {} } = {}) {
  const peer = new RTCPeerConnection();
  const send = (url, method, type, body, tag) => fetch(url, { method, body, headers: {
    "Content-Type": type, ...(tag && { "If-Match": tag }), ...(token && { Authorization: `Bearer ${token}` }) } });
  const [early, stream] = [[], new MediaStream()];
  let trickle = (candidate) => early.push(candidate);
  peer.onicecandidate = ({ candidate }) => candidate?.candidate && trickle(candidate);
  peer.ontrack = ({ track }) => stream.addTrack(track);
  for (const kind of ["video", "audio"]) peer.addTransceiver(kind, { direction: "recvonly" });
  video.srcObject = stream;
  await peer.setLocalDescription();
  const answer = await send(link, "POST", "application/sdp", peer.localDescription.sdp);
  if (answer.status !== 201) {
    peer.close();
    throw Object.assign(new Error(await answer.text()), { wait: Number(answer.headers.get("Retry-After")) || 30 });
  }
  const [view, tag] = [new URL(answer.headers.get("Location"), link), answer.headers.get("ETag")];
  trickle = ({ candidate, sdpMid, usernameFragment }) => send(view, "PATCH", "application/trickle-ice-sdpfrag",
    `a=ice-ufrag:${usernameFragment}\r\nm=audio 9 RTP/AVP 0\r\na=mid:${sdpMid}\r\na=${candidate}\r\n`, tag);
  await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
  early.forEach(trickle);
  const stop = () => { peer.close(); return send(view, "DELETE", "application/sdp"); };
  peer.onconnectionstatechange = () => { if (peer.connectionState === "failed") stop().finally(onLost); };
  return stop;
}

/** The same for good: again when the device is offline, or the way to it was lost. */
export async function keepPlaying(video, link, options) {
  for (;;) {
    const wait = await new Promise((again) => {
      play(video, link, { ...options, onLost: () => again(1) }).catch((error) => again(error.wait ?? 10));
    });
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}
