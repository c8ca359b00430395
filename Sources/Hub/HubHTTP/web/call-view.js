// The call that is on: video, buttons, text.

import { ActionsView } from "./actions-view.js";
import { followCameras } from "./camera-view.js";
import { byID, isPressed, notify, setPressed, setText } from "./dom.js";
import { followChat } from "./chat-view.js";
import { durationText } from "./formats.js";
import { FullScreen } from "./full-screen.js";
import { followQuality } from "./quality-view.js";
import { addressOf } from "./route.js";
import { errorText, stateText, texts } from "./texts.js";
import { captureText, controlText, warningText } from "./view-texts.js";
import { initials } from "./titles.js";

/** Shows the newest call; knows nothing of how calls begin. Dispatches `visibility` when it begins or ceases to be shown. */
export class CallView extends EventTarget {
  #call = null;
  #isModerator;
  #clock = null;
  #actions = new ActionsView("device-actions");
  #layout;
  #fullScreen = new FullScreen();

  /** `isModerator` is whether this person may ask devices to record or to swap their camera, `layout` the page's {@link LayoutView}. */
  constructor(isModerator, layout) {
    super();
    [this.#isModerator, this.#layout] = [isModerator, layout];
    byID("hang-up").addEventListener("click", () => this.#call.hangUp());
    byID("call-close").addEventListener("click", () => {
      this.close();
      focusRow(this.#call.party.userID);
    });
    byID("unmute-page").addEventListener("click", () => this.#play());
    byID("record").addEventListener("click", () => {
      this.#ask(isPressed(byID("record")) ? "stop-archive" : "start-archive");
    });
    byID("swap-camera").addEventListener("click", () => this.#ask("swap-camera"));
    byID("remote-video").addEventListener("resize", () => this.#renderFace());
    bindToggle("mute-microphone", (isMuted) => this.#call.setSending("audio", !isMuted));
    bindToggle("mute-camera", (isMuted) => this.#call.setSending("video", !isMuted));
    bindToggle("mute-speaker", (isMuted) => { byID("remote-video").muted = isMuted; });
  }

  follow(call) {
    this.#call = call;
    for (const id of ["mute-microphone", "mute-camera", "mute-speaker"]) setPressed(byID(id), false);
    byID("remote-video").muted = false;
    const update = (render) => () => { if (this.#call === call) render(); };
    call.addEventListener("state", update(() => this.#renderState()));
    call.addEventListener("media", update(() => this.#renderMedia()));
    call.addEventListener("archive", update(() => this.#renderRecording()));
    call.addEventListener("result", ({ detail }) => { if (!detail.isDone) notify(controlText(detail)); });
    call.addEventListener("signal", ({ detail }) => {
      if (this.#call !== call) return;
      if (detail.type === "warning") notify(warningText(detail.data));
      if (detail.type === "chat") this.#layout.chatCame();
    });
    followChat(call);
    this.#actions.follow(call);
    followCameras(call);
    followQuality(call);
    byID("call").dataset.sessionId = call.id;
    this.#setShown(true);
    this.#renderState();
    this.#renderMedia();
    byID("hang-up").focus();
  }

  close() {
    this.#layout.setLive(false);
    this.#setShown(false);
  }

  #setShown(isShown) {
    byID("call").hidden = !isShown;
    this.dispatchEvent(new Event("visibility"));
  }

  #renderState() {
    const call = this.#call;
    byID("call").dataset.state = call.state;
    if (call.outcome) byID("call").dataset.reason = call.outcome.reason ?? call.outcome.error?.type ?? "";
    else delete byID("call").dataset.reason;
    byID("call-buttons").hidden = call.isOver;
    byID("call-close").hidden = !call.isOver;
    const isModerated = call.isWithDevice && this.#isModerator();
    byID("record").hidden = !isModerated;
    byID("swap-camera").hidden = !isModerated || !call.canSwap;
    this.#linkRecording(isModerated);
    byID("call-state").textContent = call.isOver ? this.#endText() : stateText(call);
    this.#runClock(!call.isOver);
    this.#renderRecording();
    this.#layout.setLive(!call.isOver);
    if (call.isOver) this.#showOutcome();
  }

  /** As "Call ended · 2:13 · Recorded"; who may fetch the recording has a link to it. */
  #endText() {
    const { connectedAt, endedAt, recordingID } = this.#call;
    const parts = [stateText(this.#call), connectedAt === null ? "" : durationText((endedAt - connectedAt) / 1000)];
    if (recordingID !== null && byID("call-recording").hidden) parts.push(texts.calls.recorded);
    const [words, ...more] = parts.filter((part) => part !== "");
    return more.length ? [words.replace(/\.$/, ""), ...more].join(" · ") : words;
  }

  /** Wherever the call was placed from, its end is in view, and the keyboard is where it was. */
  #showOutcome() {
    this.#renderMedia();
    this.#fullScreen.leave();
    byID("call").scrollIntoView({ block: "nearest" });
    const { activeElement } = document;
    if (activeElement === document.body || byID("call").contains(activeElement)) byID("call-close").focus();
  }

  #renderMedia() {
    const { localStream, shownStream, captureFailure, sent, isOver } = this.#call;
    const kinds = new Set((localStream?.getTracks() ?? []).map((track) => track.kind));
    setStream(byID("local-video"), kinds.has("video") ? localStream : null);
    byID("local-video").hidden = !kinds.has("video");
    byID("mute-microphone").disabled = !kinds.has("audio");
    byID("mute-camera").disabled = !kinds.has("video");
    setText(byID("capture-words"), isOver ? "" : captureText(captureFailure, localStream, sent));
    setStream(byID("remote-video"), isOver ? null : shownStream);
    if (shownStream && !isOver) this.#play();
    else byID("unmute-page").hidden = true;
    this.#renderFace();
  }

  /** Who is not seen is named where the video would be. */
  #renderFace() {
    const { userTitle } = this.#call.party;
    byID("face").hidden = byID("remote-video").videoWidth > 0;
    byID("face-initials").textContent = initials(userTitle);
    byID("face-title").textContent = userTitle;
  }

  /** Browsers may refuse to begin with sound before the person has clicked. */
  async #play() {
    try {
      await byID("remote-video").play();
      byID("unmute-page").hidden = true;
    } catch (error) {
      if (error.name === "NotAllowedError") byID("unmute-page").hidden = false;
    }
  }

  #renderRecording() {
    byID("recording").hidden = !this.#call.isRecording;
    setPressed(byID("record"), this.#call.isRecording);
  }

  #linkRecording(mayFetch) {
    const { isOver, recordingID, party } = this.#call;
    const link = byID("call-recording");
    link.hidden = !isOver || !mayFetch || recordingID === null;
    if (link.hidden) return link.removeAttribute("href");
    link.href = addressOf({ view: "devices", id: party.userID, part: "recordings", item: recordingID });
  }

  async #ask(action) {
    try {
      await this.#call.control(action);
    } catch (error) {
      notify(errorText(error));
    }
  }

  #runClock(isRunning) {
    clearInterval(this.#clock);
    const render = () => {
      const { connectedAt, endedAt } = this.#call;
      byID("call-clock").textContent =
        connectedAt === null ? "" : durationText(((endedAt ?? Date.now()) - connectedAt) / 1000);
    };
    render();
    if (isRunning && this.#call.connectedAt !== null) this.#clock = setInterval(render, 1000);
  }
}

function bindToggle(id, onChange) {
  const button = byID(id);
  button.addEventListener("click", () => {
    setPressed(button, !isPressed(button));
    onChange(isPressed(button));
  });
}

function setStream(video, stream) {
  if (video.srcObject !== stream) video.srcObject = stream;
}

/** Back to the list, where the call's other party stands. */
function focusRow(userID) {
  const row = byID("nearby").querySelector(`[data-user-id="${CSS.escape(userID)}"]`);
  row?.querySelector("button:not([hidden], :disabled)")?.focus();
}
