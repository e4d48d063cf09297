/** Cards that are handed over anywhere on the page: each becomes a sheet, and its character opens a chat. */

import { post, type Ok } from "../api/client";
import { base64 } from "../api/download";
import { route } from "../shell/route.svelte";
import { toasts, tried } from "../shell/toasts.svelte";
import { w } from "../words/index.svelte";

export const MOST_MEGABYTES = 16;
export const CARD_FILES = ".png,.json,.charx";

class Cards {
  /** Whether one is being read. */
  busy = $state(false);

  isCard(file: File): boolean {
    return CARD_FILES.split(",").some((end) => file.name.toLowerCase().endsWith(end));
  }

  isTooLarge(file: File): boolean {
    return file.size > MOST_MEGABYTES * 1024 * 1024;
  }

  /** Make a sheet of a card. */
  async keep(file: File): Promise<Ok<"/v1/cards", "post">> {
    return post("/v1/cards", { data: await base64(file), user: "", replace: false });
  }

  /** Make a sheet of a card, and talk with whoever is on it. */
  async meet(file: File | null | undefined, callMe = ""): Promise<void> {
    if (!file || this.busy) return;
    if (!this.isCard(file)) return toasts.note(w().chat.noCard);
    if (this.isTooLarge(file)) return toasts.note(w().editor.cardTooLarge(MOST_MEGABYTES));
    this.busy = true;
    await tried(async () => {
      const { name } = await this.keep(file);
      const begun = await post("/v1/chats", { persona: name, ...(callMe ? { call_me: callMe } : {}) });
      route.go("chat", begun.id);
    });
    this.busy = false;
  }
}

export const cards = new Cards();
