/** Colours of speakers: one's own by one's name, and in a company nobody the same as another. */

const SLOTS = 12;
const FIRST = 20;

/** The hue of a name by itself. */
export const hueOf = (name: string): number => degrees(hash(name) % SLOTS);

/** Hues for a whole cast; whoever comes later to a slot that is taken gets the next that is free. */
export function huesOf(names: readonly string[]): Map<string, number> {
  const taken = new Set<number>();
  const hues = new Map<string, number>();
  for (const name of names) {
    let slot = hash(name) % SLOTS;
    if (taken.size < SLOTS) while (taken.has(slot)) slot = (slot + 5) % SLOTS;
    taken.add(slot);
    hues.set(name, degrees(slot));
  }
  return hues;
}

const degrees = (slot: number): number => (FIRST + (slot * 360) / SLOTS) % 360;

function hash(name: string): number {
  let value = 2166136261;
  for (const letter of name) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16777619);
  return value >>> 0;
}
