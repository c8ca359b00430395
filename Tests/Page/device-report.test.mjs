import "./support/environment.mjs";
import assert from "node:assert/strict";
import test from "node:test";
import { problemText, reportText } from "../../Sources/Hub/HubHTTP/web/device-report.js";

const whole = {
  version: "1.2.3", uptime: 7_300, cameras: 2, problems: [], diskFree: 2_500_000_000, isClockSynchronized: true,
  temperature: 48.4, lastEvent: "motion", lastEventAt: 1_800_000_000_000,
};

test("a report is a line of what is known", () => {
  const text = reportText(whole);
  for (const part of ["1.2.3", "runs for 2 hr", "2 cameras", "2,500 MB free", "48°C"]) assert.ok(text.includes(part), text);
  assert.ok(!text.includes("clock"), text);
  assert.equal(reportText({ version: "1", isClockSynchronized: false }), "1 · clock not synchronised");
});

test("problems are named, the first with its reason, and long ones are cut", () => {
  assert.equal(problemText(whole), "");
  assert.equal(problemText({ problems: ["camera yard", "archives"], problem: "no frame" }), "camera yard: no frame; archives");
  assert.ok(problemText({ problems: ["x".repeat(500)], problem: "y".repeat(5_000) }).length < 300);
});

test("what is no report is nothing", () => {
  for (const report of [undefined, null, {}, { version: 3 }, "1.2", { problems: "camera" }]) {
    assert.equal(reportText(report), "");
    assert.equal(problemText(report), "");
  }
});
