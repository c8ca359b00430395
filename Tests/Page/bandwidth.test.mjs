import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { withVideoBandwidth } from "../../Sources/Hub/HubHTTP/web/bandwidth.js";

const lines = (...all) => all.map((line) => `${line}\r\n`).join("");

test("the limit stands before the attributes of the video alone", () => {
  const offer = lines("v=0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:0",
    "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "a=mid:1");
  assert.equal(withVideoBandwidth(offer, 400_500), lines("v=0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:0",
    "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "b=AS:401", "b=TIAS:400500", "a=mid:1"));
});

test("an own limit takes the place of another's, and without one nothing changes", () => {
  const offer = lines("m=video 9 X 96", "b=AS:5", "a=mid:1");
  assert.equal(withVideoBandwidth(offer, 1_000), lines("m=video 9 X 96", "b=AS:1", "b=TIAS:1000", "a=mid:1"));
  assert.equal(withVideoBandwidth(offer, null), offer);
});
