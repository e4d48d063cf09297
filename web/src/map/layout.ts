/** Where everything is drawn: rooms as the cells of a doll's house, and in each its things, people and doors. */

import type { Person } from "../api/names";
import type { PersonPicture, Picture, RoomPicture, ThingPicture, Way } from "./picture";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
/** A thing in its place: on the floor, on a wall, on or in another thing, in a hand, on a body. */
export type Place = "floor" | "wall" | "on" | "in" | "hand" | "body";
export interface ThingMark extends Box {
  key: string;
  kind: "thing";
  name: string;
  room: string;
  place: Place;
  /** The thing or person that it is on, in or with. */
  of: string | null;
  thing: ThingPicture;
}
export interface PersonMark extends Box {
  key: string;
  kind: "person";
  name: string;
  room: string;
  person: PersonPicture;
  left: boolean;
}
export interface DoorMark extends Box {
  key: string;
  kind: "door";
  /** Through the wall, through the floor, or to a room that is not beside this one: then a plate says which. */
  way: "side" | "floor" | "plate";
  room: string;
  to: string;
  door: Way;
}
export type Mark = ThingMark | PersonMark | DoorMark;
export interface RoomBox extends Box {
  room: RoomPicture;
  roof: boolean;
  /** Where furniture stands, from the top of the room; the lowest is the floor. */
  boards: number[];
}
export interface Layout {
  rooms: RoomBox[];
  marks: Mark[];
  height: number;
}

export const ROOF = 46;
export const PERSON: Record<Person["pose"], { width: number; height: number }> = {
  standing: { width: 62, height: 101 },
  sitting: { width: 62, height: 83 },
  lying: { width: 101, height: 50 },
};
const WALL = 12; // between rooms
const PAD = 14;
const HEAD = 34;
const SPACE = 8;
const FRONT = 62; // how far people stand before the furniture
const SLOT = 84;
const LOWEST = 190;
const IN_HAND = 26;
const DOOR = { width: 30, height: 84 };
const PLATE = { width: 110, height: 24 };
const UNKNOWN = { width: 26, height: 26 };

type Cell = [column: number, row: number];

/** The whole picture in so many columns of a width. */
export function layoutOf(picture: Picture, width: number, columns: number): Layout {
  const cells = cellsOf(picture.rooms, columns);
  const across = Math.max(0, ...[...cells.values()].map(([column]) => column)) + 1;
  const wide = (width - WALL * (across - 1)) / across;
  const inner = new Map(picture.rooms.map((room) => [room.name, furnished(room, wide)]));
  const boxes = roomBoxes(picture.rooms, cells, inner, wide);
  const byName = new Map(boxes.map((one) => [one.room.name, one]));
  const marks = boxes.flatMap((box) => [
    ...moved(inner.get(box.room.name), box),
    ...doors(box, byName, cells),
  ]);
  const height = Math.max(0, ...boxes.map((one) => one.y + one.height));
  return { rooms: boxes, marks: turned(marks), height };
}

// --- rooms ----------------------------------------------------------------------------------------------------------

/** A cell for each room: beside one that it has a way to, wherever there is space. */
function cellsOf(rooms: readonly RoomPicture[], columns: number): Map<string, Cell> {
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
      waiting.push(...room.ways.map((way): [string, Cell] => [way.to, cell]));
    }
  }
  return settled(placed);
}

const lowest = (placed: ReadonlyMap<string, Cell>): number =>
  Math.max(-1, ...[...placed.values()].map(([, row]) => row));

/** The free cell nearest to another: beside it before below it, and below it before above it. */
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

/** Rooms of one row are equally high; who has nobody above and a roof to be under has one. */
function roomBoxes(
  rooms: readonly RoomPicture[],
  cells: ReadonlyMap<string, Cell>,
  inner: ReadonlyMap<string, Furnished>,
  width: number,
): RoomBox[] {
  const above = new Set(rooms.filter((one) => !one.outdoors).map((one) => String(cells.get(one.name))));
  const roofed = (room: RoomPicture): boolean => {
    const [column, row] = cells.get(room.name) ?? [0, 0];
    return !room.outdoors && !above.has(String([column, row - 1]));
  };
  const tops = rowTops(rooms, cells, inner, roofed);
  return rooms.map((room) => {
    const [column, row] = cells.get(room.name) ?? [0, 0];
    const { top: first, height: usual, roof } = tops[row] ?? { top: 0, height: 0, roof: 0 };
    const loft = row > 0 && !roofed(room) ? roof : 0; // up to the room above where others of the row have a roof
    const [top, height] = [first - loft, usual + loft];
    const own = inner.get(room.name);
    const down = height - (own?.height ?? 0);
    const boards = (own?.boards ?? []).map((one) => one + down);
    return { room, roof: roofed(room), boards, x: column * (width + WALL), y: top, width, height };
  });
}

function rowTops(
  rooms: readonly RoomPicture[],
  cells: ReadonlyMap<string, Cell>,
  inner: ReadonlyMap<string, Furnished>,
  roofed: (room: RoomPicture) => boolean,
): { top: number; height: number; roof: number }[] {
  const rows: { height: number; roof: number }[] = [];
  for (const room of rooms) {
    const row = cells.get(room.name)?.[1] ?? 0;
    const { height, roof } = rows[row] ?? { height: 0, roof: 0 };
    rows[row] = {
      height: Math.max(height, inner.get(room.name)?.height ?? 0),
      roof: Math.max(roof, roofed(room) ? ROOF : 0),
    };
  }
  let top = 0;
  return Array.from(rows, (row) => {
    const { height, roof } = row ?? { height: 0, roof: 0 };
    const here = { top: top + roof, height, roof };
    top += roof + height + WALL;
    return here;
  });
}

// --- what is in a room ----------------------------------------------------------------------------------------------

interface Furnished {
  marks: (ThingMark | PersonMark)[];
  boards: number[];
  height: number;
  /** Down to where things hang: they stay there however high the room is. */
  hung: number;
}

/** Something with all that is on, in and with it. */
interface Block {
  width: number;
  height: number;
  marks: (ThingMark | PersonMark)[];
}

function furnished(room: RoomPicture, width: number): Furnished {
  const hangs = room.things.filter((one) => one.art?.hangs);
  const stands = room.things.filter((one) => !one.art?.hangs);
  const wall = rowsOf(hangs.map((one) => block(one, room.name, "wall", null)), width);
  const floor = rowsOf(stands.map((one) => block(one, room.name, "floor", null)), width);
  const people = rowsOf(room.people.map((one) => figure(one, room.name)), width, SLOT);
  const marks: Furnished["marks"] = [];
  let y = HEAD;
  for (const row of wall) y += hung(row, y, marks) + SPACE;
  const boards: number[] = [];
  const hungTo = y;
  for (const row of floor) {
    y += row.height;
    marks.push(...stood(row, y));
    boards.push(y);
    y += SPACE * 2;
  }
  y = Math.max(y - SPACE * 2, HEAD + (people.length ? 60 : 0), LOWEST - FRONT);
  if (!boards.length) boards.push(y);
  boards[boards.length - 1] = y;
  for (const row of floor.slice(-1)) marks.splice(marks.length - count(row), count(row), ...stood(row, y));
  for (const row of people) marks.push(...stood(row, (y += FRONT - 10)));
  return { marks, boards, height: Math.max(y + 20, LOWEST), hung: hungTo };
}

const count = (row: Row): number => row.blocks.reduce((sum, one) => sum + one.marks.length, 0);

interface Row {
  blocks: Block[];
  height: number;
  gap: number;
  width: number;
}

/** Blocks one beside the other, and in the next row where there is no more room; spread over the width. */
function rowsOf(blocks: readonly Block[], width: number, slot = 0): Row[] {
  const room = width - 2 * PAD;
  const rows: Block[][] = [];
  let left = 0;
  for (const one of blocks) {
    const wanted = Math.max(one.width, slot) + SPACE;
    const last = rows.at(-1);
    if (last && left >= wanted) last.push(one);
    else {
      rows.push([one]);
      left = room + SPACE;
    }
    left -= wanted;
  }
  return rows.map((row) => ({
    blocks: row,
    height: Math.max(...row.map((one) => one.height)),
    gap: Math.max(0, room - row.reduce((sum, one) => sum + one.width, 0)) / (row.length + 1),
    width: room,
  }));
}

/** A row that hangs from a line; how high it is. */
function hung(row: Row, top: number, marks: Furnished["marks"]): number {
  each(row, (one, x) => marks.push(...shifted(one.marks, x, top)));
  return row.height;
}

/** A row that stands on a line. */
function stood(row: Row, bottom: number): Furnished["marks"] {
  const marks: Furnished["marks"] = [];
  each(row, (one, x) => marks.push(...shifted(one.marks, x, bottom - one.height)));
  return marks;
}

function each(row: Row, visit: (one: Block, x: number) => void): void {
  let x = PAD + row.gap;
  for (const one of row.blocks) {
    visit(one, x);
    x += one.width + row.gap;
  }
}

const shifted = <T extends Box>(marks: readonly T[], x: number, y: number): T[] =>
  marks.map((one) => ({ ...one, x: one.x + x, y: one.y + y }));

/** A thing with what is on it, standing on its top, and what is seen in it, at its foot. */
function block(thing: ThingPicture, room: string, place: Place, of: string | null): Block {
  const art = thing.art ?? { ...UNKNOWN, top: 0 };
  const on = strip(thing.on.map((one) => block(one, room, "on", thing.name)));
  const inside = strip(thing.inside.map((one) => block(one, room, "in", thing.name)));
  const width = Math.max(art.width, on.width, inside.width);
  const sunk = Math.round(art.height * art.top) + (thing.on.length ? 2 : 0);
  const height = Math.max(art.height, art.height + on.height - sunk, inside.height);
  const top = height - art.height;
  const own: ThingMark = {
    key: `thing:${thing.name}`, kind: "thing", name: thing.name, room, place, of, thing,
    x: (width - art.width) / 2, y: top, width: art.width, height: art.height,
  }; // prettier-ignore
  const above = shifted(on.marks, (width - on.width) / 2, top + sunk - on.height);
  const within = shifted(inside.marks, (width - inside.width) / 2, height - inside.height);
  return { width, height, marks: [own, ...above, ...within] };
}

/** Blocks close together on one line. */
function strip(blocks: readonly Block[]): Block {
  const height = Math.max(0, ...blocks.map((one) => one.height));
  let x = 0;
  const marks = blocks.flatMap((one) => {
    const here = shifted(one.marks, x, height - one.height);
    x += one.width + 2;
    return here;
  });
  return { width: Math.max(0, x - 2), height, marks };
}

/** Somebody with what they hold, one thing in each hand as far as two go, and with what they wear. */
function figure(person: PersonPicture, room: string): Block {
  const size = PERSON[person.pose];
  const own: PersonMark = {
    key: `person:${person.who}`, kind: "person", name: person.who, room, person, left: false, x: 0, y: 0, ...size,
  }; // prettier-ignore
  const held = person.hands.map((one, place) => carried(one, room, "hand", person.who, {
    x: (place % 2 === 0 ? size.width * 0.66 : size.width * 0.02) - 2,
    y: size.height * 0.58 - Math.floor(place / 2) * IN_HAND,
  })); // prettier-ignore
  const worn = person.worn.map((one, place) =>
    carried(one, room, "body", person.who, { x: size.width * 0.36, y: size.height * 0.55 + place * 14 }),
  );
  return { ...size, marks: [own, ...held, ...worn] };
}

function carried(thing: ThingPicture, room: string, place: Place, of: string, at: { x: number; y: number }): ThingMark {
  const side = place === "hand" ? IN_HAND : 16;
  const art = thing.art ?? UNKNOWN;
  const scale = Math.min(1, side / Math.max(art.width, art.height));
  const [width, height] = [art.width * scale, art.height * scale];
  return { key: `thing:${thing.name}`, kind: "thing", name: thing.name, room, place, of, thing, ...at, width, height };
}

/** The marks of a room where the room is: what stands moves down with the floor, what hangs stays at the wall. */
function moved(inner: Furnished | undefined, box: RoomBox): (ThingMark | PersonMark)[] {
  if (!inner) return [];
  const down = box.height - inner.height;
  return inner.marks.map((one) => {
    const hangs = one.y < inner.hung && one.kind === "thing" && isHung(one, inner.marks);
    return { ...one, x: one.x + box.x, y: one.y + box.y + (hangs ? 0 : down) };
  });
}

/** Whether a thing hangs on the wall, or is on or in one that does. */
function isHung(mark: ThingMark, marks: Furnished["marks"]): boolean {
  if (mark.place !== "on" && mark.place !== "in") return mark.place === "wall";
  const holder = marks.find((one): one is ThingMark => one.kind === "thing" && one.name === mark.of);
  return holder !== undefined && isHung(holder, marks);
}

// --- doors ----------------------------------------------------------------------------------------------------------

/** The ways out of a room; one that two rooms share is drawn once, a plate in each. */
function doors(box: RoomBox, boxes: ReadonlyMap<string, RoomBox>, cells: ReadonlyMap<string, Cell>): DoorMark[] {
  let plates = 0;
  return box.room.ways.flatMap((door): DoorMark[] => {
    const other = boxes.get(door.to);
    const way = wayBetween(cells.get(box.room.name), cells.get(door.to));
    const back = other?.room.ways.some((one) => one.to === box.room.name && one.door === door.door);
    if (way !== "plate" && back && other && other.x + other.y < box.x + box.y) return [];
    const place = doorBox(way, box, other, plates);
    if (way === "plate") plates += 1;
    return [{ key: `door:${box.room.name}\u0000${door.to}`, kind: "door", way, room: box.room.name, to: door.to, door, ...place }];
  });
}

function wayBetween(one: Cell | undefined, other: Cell | undefined): DoorMark["way"] {
  if (!one || !other) return "plate";
  const [dx, dy] = [Math.abs(one[0] - other[0]), Math.abs(one[1] - other[1])];
  return dx + dy !== 1 ? "plate" : dx ? "side" : "floor";
}

function doorBox(way: DoorMark["way"], box: RoomBox, other: RoomBox | undefined, plates: number): Box {
  if (way === "plate" || !other) {
    return { x: box.x + box.width - PLATE.width - 8, y: box.y + 8 + plates * (PLATE.height + 4), ...PLATE };
  }
  if (way === "side") {
    const x = Math.max(box.x, other.x) - WALL / 2 - DOOR.width / 2;
    return { x, y: box.y + box.height - DOOR.height - 6, ...DOOR };
  }
  const y = Math.max(box.y, other.y);
  return { x: box.x + box.width - 52, y: y - 40, width: 34, height: 64 };
}

/** People look towards whom they turn to. */
function turned(marks: readonly Mark[]): Mark[] {
  const people = new Map(marks.flatMap((one) => (one.kind === "person" ? [[one.name, one] as const] : [])));
  return marks.map((one) => {
    const other = one.kind === "person" && one.person.facing ? people.get(one.person.facing) : undefined;
    return one.kind === "person" && other ? { ...one, left: other.x < one.x } : one;
  });
}
