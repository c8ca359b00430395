// What this person may do with a user: what the user's client carries, what a device permits, and what the hub lets the role see.

/** The first that is there is the one with a button of its own. */
const inOrder = ["video", "audio", "watch", "snapshot", "events", "archives", "invite"];

/** How a device names in its presence what it permits. */
const permitOf = { video: "call", audio: "audio", watch: "watch", snapshot: "snapshot", events: "events", archives: "recordings" };

/** What a guest may be invited to. */
const calling = ["call", "audio", "watch"];

/** What needs no free line, and is possible while a call is on. */
const withoutCall = new Set(["snapshot", "events", "archives", "invite"]);

/**
 * The names of what can be done with a user, the main one first. A device that does not say what it permits (`permits`) is of an
 * earlier version, and asked for everything.
 */
export function actionsOf(user, { isOperator }) {
  if (user.status === "offline") return [];
  return inOrder.filter((action) => isPossible(action, user, isOperator) && isPermitted(action, user));
}

/** Whether the action calls, of which there can be one at a time. */
export function isCalling(action) {
  return !withoutCall.has(action);
}

/** Whether the camera of a device may be seen without a call. */
export function showsSnapshots(user, { isOperator }) {
  return user.kind === "device" && isOperator && user.isVideo && isPermitted("snapshot", user);
}

/** Whether some operator may lock, rename and delete what a device has recorded; which one, the device decides. */
export function showsManagement({ permits }) {
  return !Array.isArray(permits) || permits.includes("manage");
}

function isPossible(action, { kind, isAudio, isVideo }, isOperator) {
  if (action === "video") return isVideo;
  if (action === "audio") return isAudio;
  if (kind !== "device") return false;
  if (action === "watch") return isVideo;
  return isOperator && (isVideo || action !== "snapshot");
}

function isPermitted(action, { permits }) {
  if (!Array.isArray(permits)) return true;
  return action === "invite" ? calling.some((name) => permits.includes(name)) : permits.includes(permitOf[action]);
}
