/** Short notices that go by themselves, and complaints that stay a little longer. */

import { Failure, isAbort } from "../api/problem";
import { w } from "../words/index.svelte";

export interface Toast {
  id: number;
  kind: "note" | "fault";
  text: string;
}

const STAYS = { note: 3_500, fault: 9_000 };
const MOST = 4;

class Toasts {
  shown = $state<Toast[]>([]);
  private next = 1;

  note(text: string): void {
    this.show("note", text);
  }

  /** Tell what went wrong; what somebody broke off, and a server that is gone, are told elsewhere or not at all. */
  complain(error: unknown): void {
    if (isAbort(error)) return;
    if (!(error instanceof Failure)) {
      console.error(error);
      this.show("fault", w().problem.unforeseen);
    } else if (error.status !== 0 && error.status !== 401) {
      this.show("fault", inWords(error));
    }
  }

  dismiss(id: number): void {
    this.shown = this.shown.filter((one) => one.id !== id);
  }

  private show(kind: Toast["kind"], text: string): void {
    const id = this.next++;
    this.shown = [...this.shown.filter((one) => one.text !== text), { id, kind, text }].slice(-MOST);
    setTimeout(() => this.dismiss(id), STAYS[kind]);
  }
}

export const toasts = new Toasts();

/** A problem in the reader's language: Hakoniwa's own come translated, the others are known by their status. */
export function inWords(failure: Failure): string {
  const { key, detail, status } = failure.problem;
  if (key && detail) return detail;
  const known: Record<number, string> = w().problem.byStatus;
  const title = known[status] ?? w().problem.unforeseen;
  return detail ? w().problem.because(title, detail) : title;
}

/** Do something, and complain if it cannot be done; tells whether it was. */
export async function tried(deed: () => Promise<unknown>): Promise<boolean> {
  try {
    await deed();
    return true;
  } catch (error) {
    toasts.complain(error);
    return false;
  }
}
