/** What the states of things are called: the server says it for every thing there is. */

import type { Thing } from "../api/names";

/** The state of a thing that is as ever, which goes without saying. */
export const AS_EVER = "default";

export function stateWords(things: readonly Thing[]): ReadonlyMap<string, string> {
  const pairs = things.flatMap(({ state, words }) =>
    state.filter((one) => one !== AS_EVER).map((one, place): [string, string] => [one, words[place] ?? one]),
  );
  return new Map(pairs);
}
