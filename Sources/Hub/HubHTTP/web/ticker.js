// A worker that ticks: browsers slow the timers of a hidden page down to one a minute, a worker's not.

addEventListener("message", ({ data: milliseconds }) => {
  setInterval(() => postMessage(null), milliseconds);
});
