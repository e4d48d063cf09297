/** Everybody one can talk with: the sheets that come with Hakoniwa, and the user's own. */

import { get } from "../api/client";
import type { Sheet } from "../api/names";
import { tried } from "../shell/toasts.svelte";

class Sheets {
  all = $state.raw<Sheet[]>([]);

  /** Read them anew: a card may have been dropped since. */
  read(): void {
    void tried(async () => (this.all = await get("/v1/cards")));
  }
}

export const sheets = new Sheets();
