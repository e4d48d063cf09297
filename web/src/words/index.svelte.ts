/** The page's own words, in the language of whoever reads it. */

import { en } from "./en";
import { ja } from "./ja";
import type { Words } from "./shape";

export type Code = "ja" | "en";

const KEY = "hakoniwa.language";
const catalogues: Record<Code, Words> = { ja, en };

class Language {
  code = $state<Code>(first());

  choose(code: Code): void {
    this.code = code;
    localStorage.setItem(KEY, code);
  }
}

function first(): Code {
  const kept = localStorage.getItem(KEY);
  if (kept === "ja" || kept === "en") return kept;
  return navigator.languages.some((one) => one.startsWith("ja")) ? "ja" : "en";
}

export const language = new Language();

/** The catalogue as it is read now. */
export const w = (): Words => catalogues[language.code];

/** What a name of the program's is called here; one that nobody has translated stays as it is. */
export const called = (table: Record<string, string>, name: string): string => table[name] ?? name;
