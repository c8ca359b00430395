// What stands on the stage, each part for its address: modules of its own, loaded when it is opened first.

import { byID } from "./dom.js";
import { firstPart } from "./device-view.js";
import { later } from "./later.js";

/**
 * Adds the views to `stage`. `session` has what they need of the page: `hub`, `router`, `known`, `calls`, `callHistory`,
 * `login()`, `isOperator()`, `closeCall()`, which hides a call that is over, and `place(party, media)`, which places one. Returns
 * what is to be notified when a call begins or is over.
 */
export function addStageViews(stage, session) {
  addDevice(stage, session);
  addSettings(stage, session);
  addAdministration(stage, session);
  return addCalls(stage, session);
}

function addDevice(stage, { hub, router, known, isOperator }) {
  const snapshot = later(async () => new (await import("./snapshot-view.js")).SnapshotView(hub));
  const events = later(async () => eventsOf(hub, router));
  const recordings = later(async () => recordingsOf(hub, router, known));
  const hideSnapshot = () => snapshot.close();
  stage.add({ view: "devices" }, {
    show: (route, user) => { if (firstPart(user, { isOperator: isOperator() }) === "snapshot") snapshot.open(user); },
    hide: hideSnapshot,
  });
  stage.add({ view: "devices", part: "events" }, {
    show: ({ item }, user) => events.open(user, item), hide: () => events.close(), stays: ["recordings"],
  });
  stage.add({ view: "devices", part: "recordings" }, {
    show: (route, user) => recordings.open(route, user), hide: () => recordings.close(),
  });
  stage.add({ view: "devices", part: "snapshot" }, { show: (route, user) => snapshot.open(user), hide: hideSnapshot });
}

async function eventsOf(hub, router) {
  const view = new (await import("./events-view.js")).EventsView(hub);
  view.addEventListener("archive", ({ detail: { user, archiveID, seconds, camera } }) => {
    router.go({ view: "devices", id: user.userID, part: "recordings", item: archiveID, at: seconds, filter: camera });
  });
  return view;
}

async function recordingsOf(hub, router, known) {
  const view = new (await import("./archive-view.js")).ArchiveView(hub, (id) => known.get(id));
  view.addEventListener("open", (event) => {
    event.preventDefault();
    router.go({ view: "devices", id: event.detail.user.userID, part: "recordings", item: event.detail.archiveID });
  });
  return {
    open: ({ item, at = null, filter = null }, user) =>
      (item ? view.openAt({ user, archiveID: item, seconds: at, camera: filter }) : view.open(user)),
    close: () => view.close(),
  };
}

/** In place of a call that is over. An address with a call's id is one to answer it. */
function addCalls(stage, session) {
  const { calls, closeCall } = session;
  const history = later(async () => historyOf(session));
  stage.add({ view: "calls" }, {
    show: ({ id }) => {
      if (id) return;
      if (!calls.isBusy) closeCall();
      history.open();
    },
    hide: () => history.close(), closeButton: "call-history-close",
  });
  return { setBusy: (isBusy) => history.loaded?.setBusy(isBusy) };
}

async function historyOf({ hub, router, known, calls, callHistory, login, place }) {
  const { CallHistoryView } = await import("./call-history-view.js");
  const view = new CallHistoryView(callHistory, {
    ownID: () => login()?.userID, findUser: (id) => known.get(id),
    loadImage: (deviceID, archiveID) => hub.archiveThumbnail(deviceID, archiveID),
  });
  view.setBusy(calls.isBusy);
  view.addEventListener("again", ({ detail: { party, media } }) => {
    router.go({ view: "wall" });
    place(party, media);
  });
  return view;
}

function addSettings(stage, { hub, calls, login }) {
  const settings = later(async () => {
    const [{ SettingsView }, { LoginsView }] = await Promise.all([import("./settings-view.js"), import("./logins-view.js")]);
    return new SettingsView(new LoginsView(hub), () => calls.isBusy);
  });
  stage.add({ view: "settings" }, {
    show: () => settings.open(login().userTitle), hide: () => settings.close(), closeButton: "settings-close",
  });
}

function addAdministration(stage, { hub, isOperator }) {
  const parts = {
    invitations: later(async () => new (await import("./invitations-view.js")).InvitationsView(hub)),
    audit: later(async () => new (await import("./audit-view.js")).AuditView(hub)),
    administration: later(async () => new (await import("./administration-view.js")).AdministrationView(hub)),
  };
  for (const [name, view] of Object.entries(parts)) {
    stage.add({ view: "administration", id: name === "administration" ? null : name }, {
      show: ({ filter = null }) => { if (isOperator()) view.open(filter); },
      hide: () => view.close(), closeButton: `${name}-close`,
    });
  }
}
