/** Where everything is drawn: rooms on a grid, with short ways between them, and in each its people and things. */

import type { GardenView, Person, Room, Thing } from "../api/names";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Mark extends Box {
  key: string;
  kind: "person" | "thing" | "more";
  name: string;
  count: number;
}
export interface Passage {
  key: string;
  path: string;
  door: string | null;
  x: number;
  y: number;
}
export interface Drawing {
  rooms: Map<string, Box>;
  marks: Mark[];
  passages: Passage[];
  height: number;
}
export interface Scale {
  width: number;
  columns: number;
  most: number;
}

const GAP = 44;
const GUTTER = 34;
const PAD = 12;
const HEAD = 38;
const PERSON = 38;
const CHIP = 28;
const SPACE = 6;
const LETTER = 12.5;

type Cell = [column: number, row: number];

/** The whole picture of a garden. */
export function drawn(view: GardenView, scale: Scale): Drawing {
  const cells = cellsOf(view.rooms, scale.columns);
  const columns = Math.max(...[...cells.values()].map(([column]) => column), 0) + 1;
  const far = view.rooms.some((room) => room.exits.some((way) => !isBeside(cells.get(room.name), cells.get(way.to))));
  const width = (scale.width - (far ? GUTTER : 0) - GAP * (columns - 1)) / columns;
  const inner = new Map(view.rooms.map((room) => [room.name, inside(view, room, width, scale.most)]));
  const tops = rowTops(cells, inner);
  const rooms = new Map<string, Box>();
  for (const [name, [column, row]] of cells) {
    const { top, height } = tops[row] ?? { top: 0, height: 0 };
    rooms.set(name, { x: column * (width + GAP), y: top, width, height });
  }
  const marks = view.rooms.flatMap((room) => moved(inner.get(room.name)?.marks ?? [], rooms.get(room.name)));
  const last = tops.at(-1);
  return { rooms, marks, passages: passages(view.rooms, rooms, cells), height: last ? last.top + last.height : 0 };
}

// --- rooms ----------------------------------------------------------------------------------------------------------

/** A cell for each room: beside one that it has a way to, wherever there is space. */
function cellsOf(rooms: readonly Room[], columns: number): Map<string, Cell> {
  const placed = new Map<string, Cell>();
  const byName = new Map(rooms.map((room) => [room.name, room]));
  for (const first of rooms) {
    const waiting: [string, Cell][] = placed.has(first.name) ? [] : [[first.name, [0, lowest(placed) + 1]]];
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, near] = next;
      const room = byName.get(name);
      if (!room || placed.has(name)) continue;
      const cell = free(placed, near, columns);
      placed.set(name, cell);
      waiting.push(...room.exits.map((way): [string, Cell] => [way.to, cell]));
    }
  }
  return settled(placed);
}

const lowest = (placed: ReadonlyMap<string, Cell>): number =>
  Math.max(-1, ...[...placed.values()].map(([, row]) => row));

/** The free cell nearest to another: to the right and below before to the left and above. */
function free(placed: ReadonlyMap<string, Cell>, near: Cell, columns: number): Cell {
  const taken = new Set([...placed.values()].map(String));
  const across = [...placed.values()].map(([column]) => column);
  const [left, right] = [Math.min(...across, near[0]), Math.max(...across, near[0])];
  const found: { cell: Cell; cost: number }[] = [];
  for (let row = near[1] - columns; row <= near[1] + placed.size + 1; row += 1) {
    for (let column = right - columns + 1; column <= left + columns - 1; column += 1) {
      const [dx, dy] = [column - near[0], row - near[1]];
      const cost = Math.hypot(dx, dy) + (dx < 0 ? 0.2 : 0) + (dy < 0 ? 0.1 : 0) + (dy !== 0 ? 0.05 : 0);
      if (!taken.has(String([column, row]))) found.push({ cell: [column, row], cost });
    }
  }
  return found.reduce((best, one) => (one.cost < best.cost ? one : best)).cell;
}

/** The same cells, counted from the top left corner. */
function settled(placed: ReadonlyMap<string, Cell>): Map<string, Cell> {
  const cells = [...placed.values()];
  const [left, top] = [Math.min(...cells.map(([x]) => x)), Math.min(...cells.map(([, y]) => y))];
  return new Map([...placed].map(([name, [x, y]]) => [name, [x - left, y - top]]));
}

function rowTops(
  cells: ReadonlyMap<string, Cell>,
  inner: ReadonlyMap<string, { height: number }>,
): { top: number; height: number }[] {
  const heights: number[] = [];
  for (const [name, [, row]] of cells) heights[row] = Math.max(heights[row] ?? 0, inner.get(name)?.height ?? 0);
  let top = 0;
  return Array.from(heights, (height = 0) => {
    const here = { top, height };
    top += height + GAP;
    return here;
  });
}

// --- what is in a room ----------------------------------------------------------------------------------------------

function inside(view: GardenView, room: Room, width: number, most: number): { marks: Mark[]; height: number } {
  const flow = new Flow(width);
  for (const person of view.people.filter((one) => one.location === room.name)) {
    flow.put(`person:${person.who}`, "person", person.who, personWidth(person), PERSON);
    for (const thing of heldBy(view, person))
      flow.put(`thing:${thing.name}`, "thing", thing.name, chipWidth(thing.name), CHIP);
    flow.newLine();
  }
  const things = view.things.filter((one) => one.location === room.name && isLoose(one) && !one.door);
  for (const thing of things.slice(0, most)) {
    const within = contents(view.things, thing.name).length;
    flow.put(`thing:${thing.name}`, "thing", thing.name, chipWidth(thing.name) + (within ? 20 : 0), CHIP, within);
  }
  const left = things.length - most;
  if (left > 0) flow.put(`more:${room.name}`, "more", room.name, 64, CHIP, left);
  return { marks: flow.marks, height: flow.end() };
}

/** Who has a thing in the hand, in a pocket or on the body. */
export const ownerOf = (thing: Thing): string | null => thing.held_by ?? thing.carried_by ?? thing.worn_by;
const isLoose = (thing: Thing): boolean => !ownerOf(thing) && !thing.inside && !thing.on;
export const heldBy = (view: GardenView, person: Person): Thing[] =>
  view.things.filter((one) => ownerOf(one) === person.who);
export const contents = (things: readonly Thing[], name: string): Thing[] =>
  things.filter((one) => one.inside === name || one.on === name);

const textWidth = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? LETTER : LETTER * 0.6), 0);
const chipWidth = (name: string): number => textWidth(name) + 22;
const personWidth = (person: Person): number => textWidth(person.name) * 1.12 + 52;

/** Marks one beside the other, and on the next line where there is no more room. */
class Flow {
  readonly marks: Mark[] = [];
  private x = PAD;
  private y = HEAD;
  private line = 0;

  constructor(private readonly width: number) {}

  put(key: string, kind: Mark["kind"], name: string, wanted: number, height: number, count = 0): void {
    const width = Math.min(wanted, this.width - 2 * PAD);
    if (this.x > PAD && this.x + width > this.width - PAD) this.newLine();
    this.marks.push({
      key,
      kind,
      name,
      count,
      x: this.x,
      y: this.y + (this.line ? (this.line - height) / 2 : 0),
      width,
      height,
    });
    this.x += width + SPACE;
    this.line = Math.max(this.line, height);
  }

  newLine(): void {
    if (this.x === PAD) return;
    this.x = PAD;
    this.y += this.line + SPACE;
    this.line = 0;
  }

  end(): number {
    this.newLine();
    return Math.max(this.y + PAD - SPACE, HEAD + PERSON + PAD);
  }
}

const moved = (marks: readonly Mark[], box: Box | undefined): Mark[] =>
  box ? marks.map((one) => ({ ...one, x: one.x + box.x, y: one.y + box.y })) : [];

// --- ways between rooms ---------------------------------------------------------------------------------------------

/** One line for each pair of rooms with a way between them. */
function passages(
  rooms: readonly Room[],
  boxes: ReadonlyMap<string, Box>,
  cells: ReadonlyMap<string, Cell>,
): Passage[] {
  const drawn = new Map<string, Passage>();
  for (const room of rooms) {
    for (const way of room.exits) {
      const key = [room.name, way.to].sort().join("\u0000");
      const [one, other] = [boxes.get(room.name), boxes.get(way.to)];
      if (!one || !other || drawn.has(key)) continue;
      const beside = isBeside(cells.get(room.name), cells.get(way.to));
      drawn.set(key, { key, door: way.via, ...(beside ? straight(one, other) : around(one, other)) });
    }
  }
  return [...drawn.values()];
}

function isBeside(one: Cell | undefined, other: Cell | undefined): boolean {
  return one !== undefined && other !== undefined && Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]) === 1;
}

type Line = Pick<Passage, "path" | "x" | "y">;

/** Across the gap between two neighbours. */
function straight(one: Box, other: Box): Line {
  if (Math.abs(one.y - other.y) < 1) {
    const [left, right] = one.x < other.x ? [one, other] : [other, one];
    const y = one.y + Math.min(one.height, other.height) / 2;
    return { path: `M${left.x + left.width} ${y}H${right.x}`, x: (left.x + left.width + right.x) / 2, y };
  }
  const [upper, lower] = one.y < other.y ? [one, other] : [other, one];
  const x = one.x + one.width / 2;
  return { path: `M${x} ${upper.y + upper.height}V${lower.y}`, x, y: (upper.y + upper.height + lower.y) / 2 };
}

/** Round what lies between, by the right. */
function around(one: Box, other: Box): Line {
  const [x1, y1] = [one.x + one.width, one.y + one.height / 2];
  const [x2, y2] = [other.x + other.width, other.y + other.height / 2];
  const out = Math.max(x1, x2) + GUTTER - 8;
  return { path: `M${x1} ${y1}C${out} ${y1} ${out} ${y2} ${x2} ${y2}`, x: (x1 + x2 + 6 * out) / 8, y: (y1 + y2) / 2 };
}
