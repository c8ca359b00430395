// Days of the viewer's own time zone.

/** The day in which a moment (milliseconds since 1970) lies: from its first millisecond to before the next day's. */
export function dayOf(time) {
  const date = new Date(time);
  return dayFrom(date.getFullYear(), date.getMonth(), date.getDate());
}

/** That many days later; a day has 23 to 25 hours. */
export function dayAfter({ from }, count = 1) {
  const date = new Date(from);
  return dayFrom(date.getFullYear(), date.getMonth(), date.getDate() + count);
}

/** As `<input type="date">` has it, such as "2026-11-24". */
export function dayText({ from }) {
  const date = new Date(from);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part, index) => String(part).padStart(index ? 2 : 4, "0")).join("-");
}

/** What {@link dayText} wrote; null for what is no day since 1970. */
export function dayFromText(text) {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return null;
  const day = dayFrom(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  // Date takes the year 99 for 1999, and 31 February for a day in March.
  return day.from >= 0 && dayText(day) === text ? day : null;
}

function dayFrom(year, month, date) {
  return { from: new Date(year, month, date).getTime(), before: new Date(year, month, date + 1).getTime() };
}
