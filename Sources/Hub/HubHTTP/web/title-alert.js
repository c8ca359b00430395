// The tab's title, which shows who rings.

const beat = 1_000;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/** Alternates between `words` and the page's own title, or stays with `words` for people who prefer reduced motion. */
export class TitleAlert {
  #ownTitle = document.title;
  #timer = null;

  start(words) {
    this.stop();
    document.title = words;
    this.#timer = setInterval(() => {
      document.title = document.title === words && !isStill.matches ? this.#ownTitle : words;
    }, beat);
  }

  stop() {
    clearInterval(this.#timer);
    document.title = this.#ownTitle;
  }
}
