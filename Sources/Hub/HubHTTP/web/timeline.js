// A day as a line: where things lie on it, and which recording shows a moment.

/** More recordings of a day are not shown; devices report that many. */
const maxRecordings = 500;
/** The frame rate at which a time-lapse plays. */
const timeLapseRate = 30;

/** Where a moment lies in a day, from 0 to 1; days of 23 and 25 hours are as long as others. */
export function placeOf(time, { from, before }) {
  return Math.min(1, Math.max(0, (time - from) / (before - from)));
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

/**
 * The file in which a moment (seconds of playing it) lies, or the last before it: that of a further camera of this name, where
 * it has one, else that of the device's own stream.
 */
export function fileAt(seconds, files, camera) {
  const streams = [
    (file) => camera && file.camera === camera, ({ streamId }) => streamId === "device",
    ({ streamId }) => streamId === files[0]?.streamId,
  ];
  const shown = files.filter(streams.find((isShown) => files.some(isShown)) ?? (() => false));
  const begun = shown.filter(({ startTimeOffset }) => startTimeOffset <= seconds * 1000);
  return begun.sort((left, right) => right.startTimeOffset - left.startTimeOffset)[0] ?? shown[0];
}
