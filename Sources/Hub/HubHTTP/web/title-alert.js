// The tab's title, which shows who rings.

const beat = 1_000;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

/** Alternates between `text` and the page's own title, or stays with `text` for people who prefer reduced motion. */
export class TitleAlert {
  #ownTitle = document.title;
  #timer = null;

  start(text) {
    this.stop();
    document.title = text;
    this.#timer = setInterval(() => {
      document.title = document.title === text && !isStill.matches ? this.#ownTitle : text;
    }, beat);
  }

  stop() {
    clearInterval(this.#timer);
    document.title = this.#ownTitle;
  }
}
