/** Who speaks in chats: a model, or where there is none a phrasebook, which is to be said plainly. */

import { get } from "../api/client";

class Speaker {
  builtin = $state(false);

  async look(): Promise<void> {
    const found = await get("/v1/servers").catch(() => null);
    if (found) this.builtin = found.using === "builtin";
  }
}

export const speaker = new Speaker();
