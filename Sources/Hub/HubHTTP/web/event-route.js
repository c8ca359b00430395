// Whether events come by a stream, or by requests one after the other since something between here and the hub, a proxy
// that buffers, holds streams back.

/** Streams without a greeting, one after the other, before polling is tried. */
const maximumSilentStreams = 3;

export class EventRoute {
  isPolling = false;
  /** Polling has worked where a stream at the same time did not. */
  isProven = false;
  #silentStreams = 0;

  /** A stream brought the hub's greeting. */
  streamWorks() {
    this.isPolling = this.isProven = false;
    this.#silentStreams = 0;
  }

  /** A stream failed without a greeting, though polling works. */
  streamIsHeldBack() {
    this.isProven = true;
  }

  /** A stream or a poll has failed, in silence or otherwise. A hub that hangs holds back both: only proven polling continues. */
  failed(isSilence) {
    if (this.isProven) return;
    this.#silentStreams = isSilence && !this.isPolling ? this.#silentStreams + 1 : 0;
    this.isPolling = this.#silentStreams >= maximumSilentStreams;
  }
}
