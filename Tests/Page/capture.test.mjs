import { define } from "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { closeCapture, openCapture } from "../../Sources/Hub/HubHTTP/web/capture.js";

const fault = (name) => Object.assign(new Error(name), { name });

/** A browser that has these kinds, and refuses others by an error; returns what it was asked for. */
function browserWith(t, kinds, error = fault("NotFoundError"), microphone = "prompt") {
  const asked = [];
  define(t, "navigator", {
    mediaDevices: {
      async getUserMedia({ audio, video }) {
        const wanted = [audio && "audio", video && "video"].filter(Boolean);
        asked.push(wanted.join("+"));
        if (!wanted.every((kind) => kinds.includes(kind))) throw error;
        return wanted;
      },
    },
    permissions: { query: async () => ({ state: microphone }) },
  });
  return asked;
}

const both = { audio: true, video: true };

test("what there is of the wanted media is opened, and why the rest is not", async (t) => {
  const asked = browserWith(t, ["audio"]);
  const { stream, failure } = await openCapture(both);
  assert.deepEqual([stream, failure.name, asked], [["audio"], "NotFoundError", ["audio+video", "audio"]]);
  browserWith(t, ["video"]);
  assert.deepEqual((await openCapture(both)).stream, ["video"]);
  browserWith(t, ["audio", "video"]);
  assert.deepEqual(await openCapture(both), { stream: ["audio", "video"], failure: null });
  browserWith(t, []);
  assert.equal((await openCapture(both)).stream, null);
});

test("a person who refuses is not asked a second time, unless the microphone is allowed", async (t) => {
  const once = browserWith(t, ["audio"], fault("NotAllowedError"));
  assert.equal((await openCapture(both)).stream, null);
  assert.deepEqual(once, ["audio+video"]);
  browserWith(t, ["audio"], fault("NotAllowedError"), "granted");
  assert.deepEqual((await openCapture(both)).stream, ["audio"]);
});

test("nothing wanted asks for nothing, and an insecure page has nothing to ask", async (t) => {
  const asked = browserWith(t, ["audio"]);
  assert.deepEqual(await openCapture({ audio: false, video: false }), { stream: null, failure: null });
  assert.deepEqual(asked, []);
  define(t, "navigator", {});
  assert.deepEqual(await openCapture(both), { stream: null, failure: { name: "InsecureContext" } });
});

test("closing ends every track", () => {
  let stops = 0;
  const track = { stop() { stops += 1; } };
  closeCapture({ getTracks: () => [track, track] });
  closeCapture(null);
  assert.equal(stops, 2);
});
