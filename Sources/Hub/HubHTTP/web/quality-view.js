// The panel that shows the quality of the call that is on; it measures only while it shows.

import { byID } from "./dom.js";
import { Panel } from "./panels.js";
import { QualityMeter } from "./quality.js";
import { qualityRows } from "./view-texts.js";

const interval = 1_000;

let call = null;
let meter = null;
let timer = null;
let panel = null;

export function bindQuality() {
  panel = new Panel({
    button: "quality-toggle", panel: "quality", name: () => "quality", isOpenAtFirst: () => false, onChange: run,
  });
}

/** Measures `next` from now on. */
export function followQuality(next) {
  call = next;
  next.addEventListener("state", () => {
    if (next === call && next.isOver) run(false);
  });
  run(panel.isOpen);
}

function run(isOpen) {
  clearInterval(timer);
  if (!isOpen || !call || call.isOver) return;
  meter = new QualityMeter();
  show(null);
  timer = setInterval(measure, interval);
  measure();
}

async function measure() {
  const [own, ownMeter] = [call, meter];
  const report = await own.statistics();
  if (own === call && ownMeter === meter) show(report && ownMeter.read(report));
}

/** Rows are changed in place, so that a screen reader that reads one is not thrown out of it. */
function show(reading) {
  const rows = qualityRows(reading);
  const body = byID("quality-rows");
  if (body.rows.length !== rows.length) body.replaceChildren(...rows.map(makeRow));
  rows.forEach((texts, index) => {
    texts.forEach((text, column) => {
      const { cells } = body.rows[index];
      if (cells[column].textContent !== text) cells[column].textContent = text;
    });
  });
}

function makeRow([name, ...values]) {
  const row = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  row.append(head, ...values.map(() => document.createElement("td")));
  // What is neither received nor sent stands for both.
  if (values.length === 1) row.lastElementChild.colSpan = 2;
  return row;
}
