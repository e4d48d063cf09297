/** Files of other programs that are handed over anywhere on the page: cards, chats and lorebooks. */

import { post, type Ok } from "../api/client";
import { base64 } from "../api/download";
import { Failure } from "../api/problem";
import { route } from "../shell/route.svelte";
import { toasts, tried } from "../shell/toasts.svelte";
import { w } from "../words/index.svelte";

export const MOST_MEGABYTES = 16;
export const CARD_FILES = ".png,.json,.charx";
export const FOREIGN_FILES = `${CARD_FILES},.jsonl`;

/** Why a file cannot be taken in before somebody says whose it is. */
const WHOSE = ["tavern.no-sheet", "tavern.whose", "tavern.not-in"];

interface Asked {
  file: File;
  callMe: string;
}

class Arrivals {
  /** Whether one is being read. */
  busy = $state(false);
  /** A file of which nobody has said whose it is. */
  asked = $state.raw<Asked | null>(null);
  /** The chat that came last, of which memory is still to be made. */
  chat = $state<string | null>(null);

  isTooLarge(file: File): boolean {
    return file.size > MOST_MEGABYTES * 1024 * 1024;
  }

  /** Make a sheet of a card. */
  async keep(file: File): Promise<Ok<"/v1/cards", "post">> {
    return post("/v1/cards", { data: await base64(file), user: "", replace: false });
  }

  /** Take in whatever it is, and go where it leads. */
  async take(file: File | null | undefined, callMe = "", sheet?: string): Promise<void> {
    if (!file || this.busy) return;
    if (!FOREIGN_FILES.split(",").some((end) => file.name.toLowerCase().endsWith(end))) {
      return toasts.note(w().chat.noCard);
    }
    if (this.isTooLarge(file)) return toasts.note(w().editor.cardTooLarge(MOST_MEGABYTES));
    this.busy = true;
    this.asked = null;
    await tried(() => this.bring({ file, callMe }, sheet));
    this.busy = false;
  }

  private async bring(asked: Asked, sheet?: string): Promise<void> {
    const more = { ...(asked.callMe ? { call_me: asked.callMe } : {}), ...(sheet ? { sheet } : {}) };
    try {
      const found = await post("/v1/imports", { data: await base64(asked.file), ...more });
      if (found.kind === "lore") toasts.note(w().arrivals.lore(found.entries, found.sheet));
      else if (found.chat) this.open(found.chat);
      else await this.meet(found.sheet, asked.callMe);
    } catch (error) {
      if (!(error instanceof Failure && WHOSE.includes(error.problem.key ?? ""))) throw error;
      this.asked = asked;
    }
  }

  private open(chat: string): void {
    this.chat = chat;
    route.go("chat", chat);
  }

  /** Talk with whoever is on a card. */
  private async meet(persona: string, callMe: string): Promise<void> {
    const begun = await post("/v1/chats", { persona, ...(callMe ? { call_me: callMe } : {}) });
    route.go("chat", begun.id);
  }
}

export const arrivals = new Arrivals();
