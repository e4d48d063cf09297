/** The lab: every experiment there is, and one of them as it goes on. */

import { get } from "../api/client";
import type { ExperimentSummary, ExperimentView } from "../api/names";
import { tried } from "../shell/toasts.svelte";

const PULSE = 1_500; // milliseconds between two looks at one that runs

export class Lab {
  every = $state.raw<ExperimentSummary[] | null>(null);
  open = $state.raw<ExperimentView | null>(null);

  async list(): Promise<void> {
    await tried(async () => (this.every = await get("/v1/lab")));
  }

  /** Read one, and again as long as it runs, until told otherwise. */
  watch(name: string): () => void {
    const leaving = new AbortController();
    void this.follow(name, leaving.signal);
    return () => leaving.abort();
  }

  private async follow(name: string, signal: AbortSignal): Promise<void> {
    if (this.open?.summary.name !== name) this.open = null;
    while (!signal.aborted) {
      const read = await tried(async () => (this.open = await get("/v1/lab/{name}", { path: { name }, signal })));
      if (signal.aborted || !read) return;
      this.note();
      if (this.open?.summary.state !== "running") return;
      await new Promise((go) => setTimeout(go, PULSE));
    }
  }

  /** What was read last, in the list too. */
  private note(): void {
    const newest = this.open?.summary;
    if (newest) this.every = this.every?.map((one) => (one.name === newest.name ? newest : one)) ?? null;
  }
}
