/** One conversation with a persona: what was said, what is being said, and what happens meanwhile. */

import { addressOf, get, post, type Wanted } from "../api/client";
import type { Called, ChatView, Exchange, ExchangeTake, InnerLife, Problem } from "../api/names";
import type { Activity, AnswerNews, ChatNews } from "../api/news";
import { isAbort } from "../api/problem";
import { answer, listen, underWay, type Told } from "../api/stream";
import { recallsOf } from "../memory/recall";
import { toasts } from "../shell/toasts.svelte";

type Rewriting = "/v1/chats/{id}/choose" | "/v1/chats/{id}/edit" | "/v1/chats/{id}/delete";

const PAGE = 50;
const TRIES = 6;
const A_MOMENT = 150;

/** An exchange on its way; what came is kept by the server however it ends. */
export interface Pending {
  said: string;
  text: string;
  recall: Called | null;
}

export class Chat {
  readonly id: string;
  readonly branch: string;
  view = $state.raw<ChatView | null>(null);
  history = $state.raw<Exchange[]>([]);
  /** Every way in which the newest exchange went. */
  takes = $state.raw<ExchangeTake[]>([]);
  pending = $state<Pending | null>(null);
  fault = $state.raw<Problem | null>(null);
  inner = $state.raw<InnerLife | null>(null);
  doing = $state.raw<Activity | null>(null);
  missing = $state(false);
  /** What came to mind, by the exchange it came with. */
  recalls = $state.raw(new Map<number, Called>());

  private readonly closing = new AbortController();
  /** Whether what was read may no longer stand: it is shown until it is read anew, and nothing of it after that. */
  private outdated = false;

  constructor(id: string, branch: string) {
    this.id = id;
    this.branch = branch;
  }

  /** Read what was said, and follow what is said from now on. */
  async open(who: string | null): Promise<void> {
    await this.read();
    const asked = { path: { id: this.id }, query: { branch: this.branch } };
    const address = (): URL => addressOf("/v1/chats/{id}/events", asked);
    const idle = (): void => void (this.doing = null);
    void listen<ChatNews>(address, (told) => this.hear(told), this.closing.signal, idle);
    const answering = this.view?.answering;
    if (answering) {
      void this.follow(answering, underWay(addressOf("/v1/chats/{id}/answer", asked), this.closing.signal));
    }
    if (who) await Promise.all([this.feel(who), this.remember(who)]);
  }

  /** Listen no more; an answer that is under way goes on. */
  close(): void {
    this.closing.abort();
  }

  async read(): Promise<void> {
    try {
      const view = await this.page();
      const known = new Set(view.history.map((one) => one.seq));
      const oldest = view.history[0]?.seq ?? 0;
      const before = this.outdated ? [] : this.history;
      const earlier = before.filter((one) => one.seq < oldest && !known.has(one.seq));
      this.outdated = false;
      this.view = earlier.length ? { ...view, before: this.view?.before ?? view.before } : view;
      this.history = [...earlier, ...view.history];
      this.takes = await get("/v1/chats/{id}/takes", this.here());
    } catch (error) {
      this.missing = true;
      toasts.complain(error);
    }
  }

  private here(): { path: { id: string }; query: { branch: string } } {
    return { path: { id: this.id }, query: { branch: this.branch } };
  }

  /** What was said before that. */
  async earlier(): Promise<void> {
    const before = this.view?.before;
    if (!this.view || !before) return;
    const found = await this.page(before);
    this.history = [...found.history, ...this.history];
    this.view = { ...this.view, before: found.before };
  }

  private page(before?: number): Promise<ChatView> {
    const query = { branch: this.branch, limit: PAGE, ...(before ? { before } : {}) };
    return get("/v1/chats/{id}", { path: { id: this.id }, query, signal: this.closing.signal });
  }

  /** How the persona feels, and what is on its mind. */
  async feel(who: string): Promise<void> {
    const asked = { path: { garden: this.id, who }, query: { branch: this.branch } };
    this.inner = await get("/v1/memory/{garden}/{who}/inner", asked).catch(() => this.inner);
  }

  /** What came to mind in what was said before. */
  private async remember(who: string): Promise<void> {
    const asked = { path: { garden: this.id, who }, query: { branch: this.branch, limit: PAGE } };
    const runs = await get("/v1/memory/{garden}/{who}/runs", asked).catch(() => []);
    this.recalls = new Map([...recallsOf(this.history, runs), ...this.recalls]);
  }

  /** Say something; false if it was refused before anybody heard it. */
  say(text: string): Promise<boolean> {
    const route = "/v1/chats/{id}/messages";
    const said = { text, branch: this.branch, goes_on: true };
    return this.follow(text, answer<AnswerNews, typeof route>(route, said, { id: this.id }, this.closing.signal));
  }

  /** Have the newest message answered anew, or its answer go on; what was there stays as a take. */
  async again(route: "/v1/chats/{id}/retake" | "/v1/chats/{id}/continue"): Promise<void> {
    const said = this.history.at(-1)?.user_text;
    if (!said || this.pending) return;
    this.history = this.history.slice(0, -1);
    const news = answer<AnswerNews, typeof route>(
      route,
      { branch: this.branch, goes_on: true },
      { id: this.id },
      this.closing.signal,
    );
    if (!(await this.follow(said, news))) await this.read();
  }

  /** Go on from another take of the newest exchange. */
  choose(take: number): Promise<void> {
    return this.rewrite("/v1/chats/{id}/choose", { take, branch: this.branch });
  }

  /** Put other words in an exchange; what came after stands. */
  edit(seq: number, words: { user_text?: string; assistant_text?: string }): Promise<void> {
    return this.rewrite("/v1/chats/{id}/edit", { seq, ...words, branch: this.branch });
  }

  /** Take an exchange out of the conversation. */
  delete(seq: number): Promise<void> {
    return this.rewrite("/v1/chats/{id}/delete", { seq, branch: this.branch });
  }

  /** Begin another line of play after an exchange; this one stays as it is. */
  async fork(name: string, at: number): Promise<void> {
    await post("/v1/chats/{id}/branches", { name, at, branch: this.branch }, { path: { id: this.id } });
  }

  private async rewrite<P extends Rewriting>(route: P, words: Wanted<P>): Promise<void> {
    await post<P>(route, words, { path: { id: this.id } } as Parameters<typeof post<P>>[2]);
    this.fault = null;
    await this.readAnew();
  }

  private readAnew(): Promise<void> {
    this.outdated = true;
    return this.read();
  }

  /** Show an answer as it comes; false if what was said was refused. */
  private async follow(said: string, news: AsyncGenerator<Told<AnswerNews>>): Promise<boolean> {
    this.fault = null;
    this.pending = { said, text: "", recall: null };
    let heard = false;
    try {
      for await (const told of news) {
        heard = true;
        this.take(told);
      }
      heard = true;
    } catch (error) {
      heard ||= isAbort(error);
      toasts.complain(error);
    }
    if (heard) await this.kept();
    this.pending = null;
    return heard;
  }

  /** Read until what was said is on record. */
  private async kept(): Promise<void> {
    const before = this.history.at(-1)?.seq ?? 0;
    for (let tries = 0; tries < TRIES; tries += 1) {
      await this.read();
      if ((this.history.at(-1)?.seq ?? 0) > before || this.closing.signal.aborted) return;
      await new Promise((resolve) => setTimeout(resolve, A_MOMENT));
    }
  }

  private take(told: Told<AnswerNews>): void {
    if (!this.pending) return;
    if (told.name === "piece") this.pending.text += told.data.text;
    else if (told.name === "recall") this.pending.recall = told.data;
    else if (told.name === "fault") this.fault = told.data;
    else if (this.pending.recall) this.recalls = new Map(this.recalls).set(told.data.seq, this.pending.recall);
  }

  /** Have the persona be silent; what it has said so far stays. */
  async stop(): Promise<void> {
    await post("/v1/chats/{id}/stop", { branch: this.branch }, { path: { id: this.id } });
  }

  async undo(): Promise<Exchange | undefined> {
    const last = this.history.at(-1);
    await post("/v1/chats/{id}/undo", { branch: this.branch }, { path: { id: this.id } });
    this.fault = null;
    await this.readAnew();
    return last;
  }

  private hear(told: Told<ChatNews>): void {
    if (told.name === "autonomy.activity") this.doing = told.data.state === "running" ? told.data : null;
    else if (told.name === "reset") this.outdated = true;
    else if (told.name === "undo") this.history = this.history.filter((one) => one.seq <= (told.data.seq ?? 0));
    if (told.name !== "hello" && told.name !== "autonomy.activity" && !this.pending) void this.read();
  }
}
