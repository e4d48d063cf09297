/** What was called to mind, as it is on record and as it is shown beside an answer. */

import type { Called, Exchange, Recall, Run } from "../api/names";

/** The part of a recall that tells what was considered and chosen. */
export type Considered = Pick<Recall, "candidates" | "pack" | "by" | "dropped">;
type Chosen = Recall["pack"]["selected"][number];

/** A run as it is on record has the shape of a recall; of what was forgotten since, only what was quoted has words. */
export function consideredIn(run: Run): Considered {
  const pack = run.selection as unknown as Recall["pack"];
  const quoted = new Map(pack.selected.map((one) => [keyOf(one), one.snippet]));
  const candidates = (run.candidates as unknown as Recall["candidates"])
    .map((one) => ({ ...one, text: one.text ?? quoted.get(`${one.type}-${one.key}`) ?? "" }))
    .filter((one) => one.text);
  return { candidates, pack, by: run.by, dropped: run.dropped };
}

export const planOf = (run: Run): Recall["plan"] => run.plan as unknown as Recall["plan"];

/** What a choice is about: an event, a state or a feeling, by its number. */
export function keyOf(one: Chosen): string {
  const number = one.type === "event" ? one.event_id : one.type === "state" ? one.state_id : one.affect_id;
  return `${one.type}-${number}`;
}

/** What came to mind with each exchange, by its run. */
export function recallsOf(history: readonly Exchange[], runs: readonly Run[]): Map<number, Called> {
  const known = new Map(runs.map((run) => [run.id, run]));
  return new Map(
    history.flatMap(({ seq, run: id }) => {
      const run = id ? known.get(id) : undefined;
      return run ? [[seq, calledIn(run)] as const] : [];
    }),
  );
}

function calledIn(run: Run): Called {
  const { candidates, pack, by, dropped } = consideredIn(run);
  const known = new Map(candidates.map((one) => [`${one.type}-${one.key}`, one]));
  const selected = pack.selected.flatMap((one) => {
    const candidate = known.get(keyOf(one));
    return candidate
      ? [{ type: one.type, key: candidate.key, at: candidate.at, text: candidate.text, why: one.why }]
      : [];
  });
  return { by, run: run.id, dropped, selected };
}
