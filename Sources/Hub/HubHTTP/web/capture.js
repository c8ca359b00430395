// The caller's own camera and microphone.

/** `?audio=raw` switches the browser's sound processing off, for measurements. */
const processing = new URLSearchParams(location.search).get("audio") !== "raw";

const constraints = {
  audio: { echoCancellation: processing, noiseSuppression: processing, autoGainControl: processing },
  video: { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 } },
};

/**
 * Opens what was asked for, or as much of it as there is.
 *
 * @returns `{stream, failure}`: `stream` is null when nothing could be opened; `failure` is the
 *   `DOMException` (or `{name: "InsecureContext"}`) that explains what is missing, else null.
 */
export async function openCapture({ audio, video }) {
  if (!audio && !video) return { stream: null, failure: null };
  if (!navigator.mediaDevices?.getUserMedia) return { stream: null, failure: { name: "InsecureContext" } };
  let failure = null;
  for (const attempt of attempts(audio, video)) {
    try {
      return { stream: await open(attempt), failure };
    } catch (error) {
      failure ??= error;
      if (error.name === "NotAllowedError" && !(await isMicrophoneGranted())) break;
    }
  }
  return { stream: null, failure };
}

/** Ends every track, so that the camera's light goes out. */
export function closeCapture(stream) {
  stream?.getTracks().forEach((track) => track.stop());
}

function attempts(audio, video) {
  if (!audio || !video) return [{ audio, video }];
  return [{ audio, video }, { audio: true, video: false }, { audio: false, video: true }];
}

function open({ audio, video }) {
  return navigator.mediaDevices.getUserMedia({
    audio: audio && constraints.audio,
    video: video && constraints.video,
  });
}

/** Asking a second time after a refusal would only annoy, unless the microphone alone is allowed already. */
async function isMicrophoneGranted() {
  try {
    return (await navigator.permissions.query({ name: "microphone" })).state === "granted";
  } catch {
    return false;
  }
}
