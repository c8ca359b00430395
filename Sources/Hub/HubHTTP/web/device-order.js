// The list's order: what a search leaves, sorted and divided into groups.

import { compareTitles, searchable } from "./titles.js";

/** The ways to sort; the first is the default. */
export const sortings = ["name", "distance", "state", "group"];

/** What needs attention first. */
const states = ["offline", "available", "busy", "do-not-disturb", "unknown"];

/** A status of a later version is not known. */
export function stateOf({ status }) {
  return states.includes(status) ? status : "unknown";
}

/**
 * `{ group, users }` in order, without empty ones. A group is `devices` or `people`; in a list sorted by state or by the hub's
 * groups the name of that, empty for who is in none. All words of `search` have to be in a title.
 */
export function arranged(users, { search = "", sorting = "name" } = {}) {
  const words = searchable(search).split(/\s+/).filter(Boolean);
  const found = users.filter(({ userTitle }) => {
    const text = searchable(userTitle);
    return words.every((word) => text.includes(word));
  });
  const { groupOf, order } = divisions[sorting] ?? divisions.name;
  const groups = new Map(order(found).map((group) => [group, []]));
  for (const user of found) groups.get(groupOf(user)).push(user);
  const compare = sorting === "distance" ? byDistance : byTitle;
  return [...groups].filter(([, members]) => members.length)
    .map(([group, members]) => ({ group, users: members.sort(compare) }));
}

const byKind = { groupOf: ({ kind }) => (kind === "device" ? "devices" : "people"), order: () => ["devices", "people"] };

/** By the way to sort, of which group someone is, and the groups' order. */
const divisions = {
  __proto__: null,
  name: byKind,
  distance: byKind,
  state: { groupOf: stateOf, order: () => states },
  group: {
    groupOf: firstGroup,
    order: (users) => [...new Set(users.map(firstGroup))].sort((one, other) => !one - !other || compareTitles(one, other)),
  },
};

function firstGroup({ groups }) {
  return groups?.[0] ?? "";
}

function byTitle(one, other) {
  return compareTitles(one.userTitle, other.userTitle) || (one.userID < other.userID ? -1 : 1);
}

function byDistance(one, other) {
  return (one.distance ?? Infinity) - (other.distance ?? Infinity) || byTitle(one, other);
}
