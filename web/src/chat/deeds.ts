/** What can be done about one exchange of a chat. */

import type { Exchange, ExchangeTake } from "../api/names";

/** The words of one exchange that somebody changed. */
export type NewWords = { user_text?: string; assistant_text?: string };

export interface ExchangeDeeds {
  editing: boolean;
  edit: () => void;
  close: () => void;
  save: (words: NewWords) => Promise<void>;
  copy: () => void;
  fork: () => void;
  remove: () => void;
  /** Of the newest exchange alone: its takes, and what makes another. */
  newest: NewestDeeds | null;
}

export interface NewestDeeds {
  takes: ExchangeTake[];
  swipe: (by: 1 | -1) => void;
  /** None where nobody asked: a greeting is not answered anew. */
  again: (() => void) | null;
  more: (() => void) | null;
}

/** The take a swipe leads to: null for one that is not there yet. */
export function swiped(takes: readonly ExchangeTake[], by: 1 | -1, another: boolean): number | null {
  const place = takes.findIndex((one) => one.current) + by;
  if (place >= takes.length && another) return null;
  return takes[(place + takes.length) % takes.length]?.number ?? null;
}

/** Both sides of an exchange as one would paste them. */
export function inText(one: Exchange, name: string, you: string): string {
  const said = [one.user_text && `${you}: ${one.user_text}`, one.assistant_text && `${name}: ${one.assistant_text}`];
  return said.filter(Boolean).join("\n\n");
}
