// Other pages of this browser in which the same person is logged in.

const answerLimit = 150;

export class OtherPages {
  /** Hubs below different paths of one origin have different people. */
  #channel = new BroadcastChannel(`livesessions.pages ${new URL(".", location.href).pathname}`);
  #ownID;

  /** `ownID` returns this person's user id, if there is one. */
  constructor(ownID) {
    this.#ownID = ownID;
    this.#channel.addEventListener("message", ({ data: { kind, userID } }) => {
      if (kind === "question" && userID === ownID()) this.#channel.postMessage({ kind: "answer", userID });
    });
  }

  /** Whether one of them answers in time. */
  exist() {
    const userID = this.#ownID();
    return new Promise((resolve) => {
      const settled = new AbortController();
      const settle = (isThere) => { settled.abort(); resolve(isThere); };
      this.#channel.addEventListener("message", ({ data }) => {
        if (data.kind === "answer" && data.userID === userID) settle(true);
      }, { signal: settled.signal });
      setTimeout(settle, answerLimit, false);
      this.#channel.postMessage({ kind: "question", userID });
    });
  }
}
