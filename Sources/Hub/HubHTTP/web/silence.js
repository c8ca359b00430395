// A limit to silence: for what may take long as a whole, but not without a sign of life.

export class Silence {
  #abort = new AbortController();
  #limit;
  #timer = null;

  /** In milliseconds, from now on; `signal` ends the wait before its time. */
  constructor(limit, signal = null) {
    this.#limit = limit;
    this.signal = signal ? AbortSignal.any([this.#abort.signal, signal]) : this.#abort.signal;
    this.broken();
  }

  /** Something came: the limit restarts, and is another one from now on if one is given. */
  broken(limit = this.#limit) {
    this.#limit = limit;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#abort.abort(new DOMException("nothing came for too long", "TimeoutError"));
    }, limit);
  }

  /** It is over, and no longer watched. */
  end() {
    clearTimeout(this.#timer);
  }
}
