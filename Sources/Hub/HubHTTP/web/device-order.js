// The list's order: what a search leaves, sorted and divided into groups.

import { compareTitles, searchable } from "./titles.js";

/** The ways to sort; the first is the default. */
export const sortings = ["name", "distance", "state"];

/** What needs attention first, what cannot be reached last. */
const states = ["problem", "available", "busy", "do-not-disturb", "unknown", "offline"];

/** What a group of a list sorted by state is of: a problem counts more than being available. */
export function stateOf({ status, problems }) {
  if (status === "offline") return "offline";
  if (problems?.length) return "problem";
  return states.includes(status) ? status : "unknown";
}

/**
 * `{ group, users }` in order, without empty ones. A group is `devices` or `people`, in a list sorted by state the name of that.
 * All words of `search` have to be in a title.
 */
export function arranged(users, { search = "", sorting = "name" } = {}) {
  const words = searchable(search).split(/\s+/).filter(Boolean);
  const found = users.filter(({ userTitle }) => {
    const text = searchable(userTitle);
    return words.every((word) => text.includes(word));
  });
  const isByState = sorting === "state";
  const groupOf = isByState ? stateOf : ({ kind }) => (kind === "device" ? "devices" : "people");
  const groups = new Map((isByState ? states : ["devices", "people"]).map((group) => [group, []]));
  for (const user of found) groups.get(groupOf(user)).push(user);
  const compare = sorting === "distance" ? byDistance : byTitle;
  return [...groups].filter(([, members]) => members.length)
    .map(([group, members]) => ({ group, users: members.sort(compare) }));
}

function byTitle(one, other) {
  return compareTitles(one.userTitle, other.userTitle) || (one.userID < other.userID ? -1 : 1);
}

function byDistance(one, other) {
  return (one.distance ?? Infinity) - (other.distance ?? Infinity) || byTitle(one, other);
}
