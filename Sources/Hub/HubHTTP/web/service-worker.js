// What the browser runs of the page while the page is closed: it shows calls and events that the hub pushes, and keeps the page's own files.

importScripts("worker-shell.js", "worker-texts.js", "worker-calls.js", "worker-events.js");

// A worker of a newer hub takes over at once: it is right for any page, since pages load their files from the hub first.
addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(keepShell("force-cache"));
});
addEventListener("fetch", (event) => {
  const address = shellAddress(event.request);
  if (address) event.respondWith(shellResponse(event, address));
});
addEventListener("push", (event) => event.waitUntil(showPush(event.data)));
addEventListener("notificationclick", (event) => event.waitUntil(notificationClicked(event)));
// Only a page has the token by which the hub learns of the new one: an open page now, any other when it opens.
addEventListener("pushsubscriptionchange", (event) => event.waitUntil(tellPages({ kind: "push.changed" })));
