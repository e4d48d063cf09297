/** What is to be drawn of a garden: a pure view of its world at one turn and of what was said in that turn. */

import type { GardenView, Person, Room, Thing } from "../api/names";

export type Light = GardenView["sky"]["light"];
export type Falls = GardenView["sky"]["falls"];

export interface ThingPicture {
  name: string;
  art: Thing["picture"];
  /** The state that is seen: what is locked is closed. */
  open: boolean | null;
  locked: boolean;
  running: boolean | null;
  hidden: boolean;
  on: ThingPicture[];
  /** What is seen in it: nothing while it is closed. */
  inside: ThingPicture[];
  /** How much is in it that nobody sees. */
  shut: number;
}
export interface PersonPicture {
  who: string;
  pose: Person["pose"];
  expression: Person["mood"]["expression"];
  /** Whom they turn to, if that is somebody in the room. */
  facing: string | null;
  words: string | null;
  hands: ThingPicture[];
  worn: ThingPicture[];
}
export interface Way {
  to: string;
  door: string | null;
  open: boolean;
  locked: boolean;
}
export interface RoomPicture {
  name: string;
  outdoors: boolean;
  /** Whether a lamp or a fire burns in it. */
  lit: boolean;
  camera: boolean;
  ways: Way[];
  people: PersonPicture[];
  things: ThingPicture[];
}
export interface Picture {
  light: Light;
  falls: Falls;
  rooms: RoomPicture[];
}

/** Who has a thing in the hand, in a pocket or on the body. */
export const ownerOf = (thing: Thing): string | null => thing.held_by ?? thing.carried_by ?? thing.worn_by;

export function pictureOf(view: GardenView): Picture {
  const shelf = new Shelf(view.things);
  return {
    light: view.sky.light,
    falls: view.sky.falls,
    rooms: view.rooms.map((room) => roomPicture(view, room, shelf)),
  };
}

function roomPicture(view: GardenView, room: Room, shelf: Shelf): RoomPicture {
  const things = shelf.in(room.name);
  return {
    name: room.name,
    outdoors: room.outdoors,
    lit: shelf.anywhere(room.name).some((one) => one.picture?.gives_light === true && one.running === true),
    camera: view.room === room.name,
    ways: room.exits.map(({ to, via }) => wayPicture(to, via, shelf)),
    people: view.people.filter((one) => one.location === room.name).map((one) => personPicture(view, one, shelf)),
    things: things.map((one) => shelf.picture(one)),
  };
}

function wayPicture(to: string, via: string | null, shelf: Shelf): Way {
  const door = via === null ? undefined : shelf.named(via);
  return { to, door: door?.name ?? null, open: door ? door.open !== false : true, locked: door?.locked ?? false };
}

function personPicture(view: GardenView, one: Person, shelf: Shelf): PersonPicture {
  return {
    who: one.who,
    pose: one.pose,
    expression: one.mood.expression,
    facing: facing(view, one),
    words: view.said?.who === one.who ? view.said.words : null,
    hands: shelf.heldBy(one.who).map((thing) => shelf.picture(thing)),
    worn: shelf.wornBy(one.who).map((thing) => shelf.picture(thing)),
  };
}

/** Who speaks turns to whom the words are for, who turns back: where both are in one room. */
function facing(view: GardenView, one: Person): string | null {
  const { who, to } = view.said ?? { who: null, to: null };
  const other = one.who === who ? to : one.who === to ? who : null;
  const there = view.people.find((person) => person.who === other);
  return there && there.who !== one.who && there.location === one.location ? there.who : null;
}

/** The things of a garden by where they are. */
class Shelf {
  private readonly byName: Map<string, Thing>;
  private readonly rooms = new Map<string, Thing[]>();
  private readonly on = new Map<string, Thing[]>();
  private readonly inside = new Map<string, Thing[]>();

  constructor(private readonly things: readonly Thing[]) {
    this.byName = new Map(things.map((one) => [one.name, one]));
    for (const one of things) {
      if (one.inside !== null) put(this.inside, one.inside, one);
      else if (one.on !== null) put(this.on, one.on, one);
      if (ownerOf(one) === null) put(this.rooms, one.location, one);
    }
  }

  named = (name: string): Thing | undefined => this.byName.get(name);
  anywhere = (room: string): Thing[] => this.rooms.get(room) ?? [];
  in = (room: string): Thing[] =>
    this.anywhere(room).filter((one) => one.inside === null && one.on === null && !one.door);
  heldBy = (who: string): Thing[] => this.things.filter((one) => one.held_by === who);
  wornBy = (who: string): Thing[] => this.things.filter((one) => one.worn_by === who);

  picture(thing: Thing): ThingPicture {
    const within = this.inside.get(thing.name) ?? [];
    const shut = thing.open === false;
    return {
      name: thing.name,
      art: thing.picture,
      open: thing.open,
      locked: thing.locked,
      running: thing.running,
      hidden: thing.hidden,
      on: (this.on.get(thing.name) ?? []).map((one) => this.picture(one)),
      inside: shut ? [] : within.map((one) => this.picture(one)),
      shut: shut ? within.length : 0,
    };
  }
}

function put(shelf: Map<string, Thing[]>, key: string, one: Thing): void {
  const there = shelf.get(key);
  if (there) there.push(one);
  else shelf.set(key, [one]);
}
