/** Work that an effect begins and that nobody wants any more once the effect is over. */

import { tried } from "./toasts.svelte";

/** Begin it; what is returned breaks it off. Whatever it asks for is to be asked for with the signal. */
export function meanwhile(deed: (signal: AbortSignal) => Promise<unknown>): () => void {
  const closing = new AbortController();
  void tried(() => deed(closing.signal));
  return () => closing.abort();
}
