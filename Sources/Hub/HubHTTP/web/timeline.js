// A day as a line: where things lie on it, and which recording shows a moment.

/** More recordings of a day are not shown; devices report that many. */
const maxRecordings = 500;
/** The frame rate at which a time-lapse plays. */
const timeLapseRate = 30;

/** Where a moment lies in a day, from 0 to 1; days of 23 and 25 hours are as long as others. */
export function placeOf(time, { from, before }) {
  return Math.min(1, Math.max(0, (time - from) / (before - from)));
}

/** Ten minutes fill the strip. */
const largestScale = 144;
/** Minutes between the labels of the strip; days have more than a label fits. */
const labelSteps = [1, 2, 5, 10, 15, 30, 60, 180];
/** Pixels of a label. */
const labelWidth = 56;

/**
 * The strip zoomed by a factor about a place of its window that stays where it is: `scale` is how many times the window's `width`
 * the day is wide, `left` how far it is scrolled, both in pixels as `x` is.
 */
export function zoomedAbout({ scale, left, width }, factor, x) {
  const next = Math.min(largestScale, Math.max(1, scale * factor));
  const place = (left + x) / (width * scale);
  return { scale: next, left: Math.min(width * (next - 1), Math.max(0, place * width * next - x)), width };
}

/** The part of a day that shows, `{from, before}` in milliseconds since 1970. */
export function shownOf({ scale, left, width }, { from, before }) {
  const [start, length] = [left / (width * scale), 1 / scale];
  return { from: from + start * (before - from), before: from + Math.min(1, start + length) * (before - from) };
}

/** The labels of a part of a day and of as much on both sides, `{time, text}`, as many as there is room for. */
export function labelsOf({ scale, left, width }, day) {
  const shown = shownOf({ scale, left, width }, day);
  const minutes = (shown.before - shown.from) / 60_000;
  const step = labelSteps.find((candidate) => (width / minutes) * candidate >= labelWidth) ?? labelSteps.at(-1);
  const margin = shown.before - shown.from;
  const labels = [];
  for (const { time, hour } of hoursOf(day, Math.max(1, Math.floor(step / 60)))) {
    for (let minute = 0; minute < (step < 60 ? 60 : 1); minute += step) {
      const moment = time + minute * 60_000;
      if (moment < shown.from - margin || moment > shown.before + margin || moment >= day.before) continue;
      labels.push({ time: moment, text: step < 60 ? `${pad(hour)}:${pad(minute)}` : pad(hour) });
    }
  }
  return labels;
}

function pad(number) {
  return String(number).padStart(2, "0");
}

/** Each `step` hours of a day by the clock on the wall, `{time, hour}`; where the clock is set, hours are missing or longer. */
export function hoursOf({ from }, step = 3) {
  const date = new Date(from);
  const hours = [];
  for (let hour = 0; hour < 24; hour += step) {
    const time = new Date(date.getFullYear(), date.getMonth(), date.getDate(), hour).getTime();
    hours.push({ time, hour });
  }
  return hours;
}

/** What of a device's answer is a recording; ongoing ones end `now`. */
export function recordingsIn(answer, now) {
  const items = Array.isArray(answer?.items) ? answer.items : [];
  return items.filter(isRecording).slice(0, maxRecordings)
    .map((item) => ({ ...item, end: Math.max(item.start, item.end ?? now), isRunning: item.end == null }))
    .sort((left, right) => left.start - right.start);
}

function isRecording(item) {
  return typeof item?.id === "string" && Number.isFinite(item.start) && (item.end == null || Number.isFinite(item.end));
}

/**
 * The recording that shows a moment best: one of those named (an event's own), then the one that began last. Time-lapses
 * come last, since they show few moments. `undefined` where nothing was recorded.
 */
export function recordingAt(time, recordings, named) {
  const own = Array.isArray(named) ? named : [];
  const rank = (recording) => [own.includes(recording.id), !recording.timeLapseInterval, recording.start].map(Number);
  const showing = recordings.filter(({ start, end }) => start <= time && time <= end);
  return showing.sort((left, right) => {
    const [first, second] = [rank(left), rank(right)];
    const index = first.findIndex((value, place) => value !== second[place]);
    return index < 0 ? 0 : second[index] - first[index];
  })[0];
}

/** Where in a recording a moment is, in seconds of playing it. */
export function offsetIn({ start, timeLapseInterval }, time) {
  const recorded = Math.max(0, time - start);
  return timeLapseInterval > 0 ? recorded / timeLapseInterval / timeLapseRate : recorded / 1000;
}
