/** One line of play of a garden: its world, its script and what is in the air, for every view that is about it. */

import { addressOf, get, post } from "../api/client";
import type { BranchView, GardenView, Highlight, Pace, Problem } from "../api/names";
import type { GardenNews, RowNews, Speaking, TurnNews } from "../api/news";
import { Failure } from "../api/problem";
import { answer, listen, type Told } from "../api/stream";
import { huesOf } from "../parts/hue";
import { toasts, tried } from "../shell/toasts.svelte";
import { w } from "../words/index.svelte";
import { Script } from "./script.svelte";

const NO_MODEL = 502;

/** What somebody is in the middle of saying, since when, and the words that were turned down before. */
export type Draft = Speaking & { since: number; struck: string };

export interface FaceOf {
  name: string;
  hue: number;
  look: string | null;
  portrait: string | null;
}

export class Garden {
  readonly id: string;
  readonly branch: string;
  now = $state.raw<GardenView | null>(null);
  draft = $state<Draft | null>(null);
  pace = $state.raw<Pace | null>(null);
  fault = $state.raw<Problem | null>(null);
  branches = $state.raw<BranchView[]>([]);
  highlights = $state.raw<Highlight[]>([]);
  missing = $state.raw<Problem | null>(null);
  /** Whether a turn was asked for and has not come yet. */
  asked = $state(false);
  /** A turn that is looked back at; null: now. */
  at = $state<number | null>(null);
  private then = $state.raw<GardenView | null>(null);

  hues = $state.raw<ReadonlyMap<string, number>>(new Map());
  names = $state.raw<ReadonlyMap<string, string>>(new Map());

  readonly script: Script;
  private readonly closing = new AbortController();
  private reading: Promise<void> | null = null;
  private stale = false;

  constructor(id: string, branch: string) {
    this.id = id;
    this.branch = branch;
    this.script = new Script(id, branch, this.closing.signal);
  }

  /** The world as it is looked at: now's, or that of the turn one looks back at. */
  get view(): GardenView | null {
    return this.at === null ? this.now : (this.then ?? this.now);
  }

  /** Whether the story is told; one that only stopped because its model failed or was spent goes on when it is asked to. */
  get over(): boolean {
    return this.now?.ended === "goal";
  }

  /** Earlier takes of the last turn. */
  get takes(): BranchView[] {
    return this.branches.filter((one) => one.take?.branch === this.branch && one.take.turn === this.now?.turn);
  }

  /** What a picture of somebody needs. */
  faceOf(who: string): FaceOf {
    const one = this.now?.people.find((person) => person.who === who);
    const called = { name: this.names.get(who) ?? who, hue: this.hues.get(who) ?? 90 };
    return { ...called, look: one?.look ?? null, portrait: one?.portrait ?? null };
  }

  // --- opening and closing -------------------------------------------------------------------------------------------

  async open(): Promise<void> {
    try {
      await Promise.all([this.script.read(), this.readNow()]);
    } catch (error) {
      if (error instanceof Failure && error.status !== 0) this.missing = error.problem;
      return;
    }
    const query = { branch: this.branch, after: this.now?.head ?? 0 };
    const address = (): URL => addressOf("/v1/gardens/{id}/events", { path: this.path, query });
    const silence = (): void => void (this.draft = null);
    void listen<GardenNews>(address, (told) => this.hear(told), this.closing.signal, silence);
    void this.readAround();
  }

  close(): void {
    this.closing.abort();
  }

  get path(): { id: string } {
    return { id: this.id };
  }

  // --- reading -------------------------------------------------------------------------------------------------------

  /** Read the world as it is now; whoever asks while that is being done gets it once more. */
  readNow(): Promise<void> {
    this.stale = this.reading !== null;
    this.reading ??= this.fetchNow().finally(() => {
      this.reading = null;
      if (this.stale && !this.closing.signal.aborted) this.refresh();
    });
    return this.reading;
  }

  /** Read what is new, whenever that may be. */
  refresh(): void {
    this.readNow().catch((error: unknown) => toasts.complain(error));
  }

  private async fetchNow(): Promise<void> {
    const now = await this.world();
    this.now = now;
    this.pace = now.pace;
    this.names = new Map(now.people.map((one) => [one.who, one.name]));
    this.hues = huesOf(now.people.map((one) => one.who));
  }

  private world(turn?: number): Promise<GardenView> {
    const query = { branch: this.branch, ...(turn === undefined ? {} : { turn }) };
    return get("/v1/gardens/{id}", { path: this.path, query, signal: this.closing.signal });
  }

  /** The lines of play there are, and the moments that are worth showing. */
  async readAround(): Promise<void> {
    const [branches, highlights] = await Promise.all([
      get("/v1/gardens/{id}/branches", { path: this.path }).catch(() => this.branches),
      get("/v1/gardens/{id}/highlights", { path: this.path, query: { branch: this.branch } }).catch(() => []),
    ]);
    this.branches = branches;
    this.highlights = highlights;
  }

  /** Look back at a turn, or at now again. */
  async look(turn: number | null): Promise<void> {
    const newest = this.now?.newest ?? 0;
    this.at = turn === null || turn >= newest ? null : Math.max(0, turn);
    if (this.at === null) return;
    const wanted = this.at;
    const found = await this.world(wanted);
    if (this.at === wanted) this.then = found;
  }

  // --- what happens --------------------------------------------------------------------------------------------------

  private drafted(news: Speaking): Draft {
    const before = this.draft?.who === news.who && this.draft.turn === news.turn ? this.draft : null;
    const struck = before && news.take > before.take ? before.text : (before?.struck ?? "");
    return { ...news, struck, since: before?.since ?? performance.now() };
  }

  private hear(told: Told<GardenNews>): void {
    switch (told.name) {
      case "row":
        return this.write(told.data);
      case "speaking":
        this.draft = told.data.who === null ? null : this.drafted(told.data);
        return;
      case "piece":
        if (this.draft) this.draft.text += told.data.text;
        return;
      case "pace":
        this.pace = told.data;
        return;
      case "fault":
        this.fault = told.data;
        return;
      case "reset":
        void tried(() => this.script.read());
        this.refresh();
    }
  }

  private write(row: RowNews): void {
    this.script.write(row);
    if (row.kind === "turn") this.fault = null;
    if (row.kind !== "turn" || this.takes.length) void this.readAround();
    this.refresh();
  }

  // --- taking part ---------------------------------------------------------------------------------------------------

  /** Play the next turn, one more of whoever spoke last, or the last one anew; the stream of events shows it. */
  async play(route: `/v1/gardens/{id}/${"turn" | "continue" | "regenerate"}`): Promise<void> {
    this.asked = true;
    this.fault = null;
    try {
      for await (const told of answer<TurnNews, typeof route>(route, this.line, this.path, this.closing.signal)) {
        if (told.name !== "fault") continue;
        if (told.data.key === "garden.stopped") toasts.note(w().garden.rests.stopped);
        else this.fault = told.data;
      }
    } catch (error) {
      if (error instanceof Failure && error.status === NO_MODEL) this.fault = error.problem;
      else toasts.complain(error);
    }
    this.asked = false;
    void this.readAround();
  }

  get line(): { branch: string } {
    return { branch: this.branch };
  }

  async run(speed: number): Promise<void> {
    this.pace = await post("/v1/gardens/{id}/run", { ...this.line, speed }, { path: this.path });
  }

  async pause(): Promise<void> {
    this.pace = await post("/v1/gardens/{id}/pause", this.line, { path: this.path });
  }

  async stop(): Promise<void> {
    this.pace = await post("/v1/gardens/{id}/stop", this.line, { path: this.path });
  }

  async undo(turns: number): Promise<void> {
    await post("/v1/gardens/{id}/undo", { ...this.line, turns }, { path: this.path });
    await this.reread();
  }

  /** Put a turn in other words; the line as it was is kept as a take of it. */
  async edit(turn: number, text: string): Promise<void> {
    await post("/v1/gardens/{id}/edit", { ...this.line, turn, text }, { path: this.path });
    await this.reread();
  }

  /** Go on from an earlier take of the last turn. */
  async choose(take: string): Promise<void> {
    await post("/v1/gardens/{id}/choose", { ...this.line, take }, { path: this.path });
    await this.reread();
  }

  private async reread(): Promise<void> {
    await this.look(null);
    await Promise.all([this.script.read(), this.readNow(), this.readAround()]);
  }
}
