/** A persona between exchanges: how things stand, what it did, and why. */

import { addressOf, get, post } from "../api/client";
import type { AutonomyStatus, Considered, Digest } from "../api/names";
import type { Activity, ChatNews } from "../api/news";
import { listen } from "../api/stream";

type Control = "start" | "stop" | "resume";
const SHOWN = 40;
const BREATH = 400;

/** Something that was seen of what it does, in nobody's voice. */
export interface Sight extends Activity {
  seq: string;
  seen: string;
}

export class Life {
  status = $state.raw<AutonomyStatus | null>(null);
  considered = $state.raw<Considered[]>([]);
  digest = $state.raw<Digest | null>(null);
  sights = $state.raw<Sight[]>([]);

  private readonly closing = new AbortController();
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly id: string,
    readonly branch: string,
  ) {}

  async open(): Promise<void> {
    await this.read();
    const asked = { path: { id: this.id }, query: { branch: this.branch } };
    const address = (): URL => addressOf("/v1/chats/{id}/events", asked);
    void listen<ChatNews>(
      address,
      (told) => {
        if (told.name === "hello") return;
        if (told.name === "autonomy.activity") {
          const sight = { ...told.data, seq: told.id ?? "", seen: new Date().toISOString() };
          this.sights = [sight, ...this.sights].slice(0, SHOWN);
        }
        clearTimeout(this.again); // several rows come with one act: read once after them
        this.again = setTimeout(() => void this.read().catch(() => undefined), BREATH);
      },
      this.closing.signal,
    );
  }

  close(): void {
    this.closing.abort();
    clearTimeout(this.again);
  }

  async read(): Promise<void> {
    const asked = { path: { id: this.id }, query: { branch: this.branch } };
    [this.status, this.considered, this.digest] = await Promise.all([
      get("/v1/chats/{id}/autonomy", asked),
      get("/v1/chats/{id}/autonomy/why", asked),
      get("/v1/chats/{id}/autonomy/digest", asked),
    ]);
  }

  async control(act: Control): Promise<void> {
    this.status = await post(`/v1/chats/{id}/autonomy/${act}`, { branch: this.branch }, { path: { id: this.id } });
  }

  async pause(seconds: number | null): Promise<void> {
    const wanted = { branch: this.branch, ...(seconds ? { seconds } : {}) };
    this.status = await post("/v1/chats/{id}/autonomy/pause", wanted, { path: { id: this.id } });
  }

  async prompt(note: string): Promise<void> {
    this.status = await post(
      "/v1/chats/{id}/autonomy/trigger",
      { branch: this.branch, note },
      { path: { id: this.id } },
    );
  }
}
