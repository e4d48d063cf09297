/** The sheets that come with Hakoniwa: everybody one can talk with. */

import { get } from "../api/client";
import type { Sheet } from "../api/names";
import { tried } from "../shell/toasts.svelte";

/** Somebody by the name of their sheet; who they are is known a moment later. */
export type Known = Pick<Sheet, "name" | "display_name" | "persona">;

class Sheets {
  all = $state.raw<Known[]>([]);
  private reading: Promise<boolean> | null = null;

  /** Read them all, once: they do not change while the server runs. */
  read(): void {
    this.reading ??= tried(() => this.fetched()).then((worked) => {
      if (!worked) this.reading = null;
      return worked;
    });
  }

  private async fetched(): Promise<void> {
    const shipped = (await get("/v1/cards")).filter((one) => one.origin === "shipped");
    this.all = shipped.map(({ name }) => ({ name, display_name: name, persona: "" }));
    await Promise.all(shipped.map(({ name }) => this.meet(name)));
  }

  private async meet(name: string): Promise<void> {
    const sheet = await get("/v1/cards/{name}", { path: { name } });
    this.all = this.all.map((one) => (one.name === name ? sheet : one));
  }
}

export const sheets = new Sheets();
