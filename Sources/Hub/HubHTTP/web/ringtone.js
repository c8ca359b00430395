// A soft two-note chime, made here rather than fetched.

const notes = [659.3, 523.3];
const noteLength = 0.35;
const repeatAfter = 2_500;

export class Ringtone {
  #context = null;
  #timer = null;

  start() {
    if (!window.AudioContext) return;
    this.#context ??= new AudioContext();
    this.#chime();
    this.#timer = setInterval(() => this.#chime(), repeatAfter);
  }

  stop() {
    clearInterval(this.#timer);
    this.#context?.suspend();
  }

  #chime() {
    this.#context.resume();
    notes.forEach((frequency, index) => this.#play(frequency, this.#context.currentTime + index * noteLength));
  }

  #play(frequency, at) {
    const oscillator = new OscillatorNode(this.#context, { frequency });
    const gain = new GainNode(this.#context, { gain: 0 });
    gain.gain.setValueAtTime(0.15, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + noteLength * 1.5);
    oscillator.connect(gain).connect(this.#context.destination);
    oscillator.start(at);
    oscillator.stop(at + noteLength * 1.5);
  }
}
