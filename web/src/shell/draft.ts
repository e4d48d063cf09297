/** What somebody has typed and not sent yet; it outlives the page, the server and a crash. */

const PREFIX = "hakoniwa.draft.";

export const draftOf = (key: string): string => localStorage.getItem(PREFIX + key) ?? "";

export function keepDraft(key: string, text: string): void {
  if (text) localStorage.setItem(PREFIX + key, text);
  else localStorage.removeItem(PREFIX + key);
}
