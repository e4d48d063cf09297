/** A turn as people write it: acts that a mind or a button wrote as tags, `(MOVE: リビング)`, are told in words.
 *
 * Words that are left as they were become their tag again, so that nothing else is read from them. */

import type { GardenWhy } from "../api/names";

type Asked = GardenWhy["asked"];

const bracketed = (words: string, language: string): string => (language === "ja" ? `（${words}）` : `(${words})`);

function pairs(asked: Asked, language: string): [tag: string, words: string][] {
  return asked.filter((one) => one.words).map((one) => [one.about, bracketed(one.words, language)]);
}

export function inWords(text: string, asked: Asked, language: string): string {
  return pairs(asked, language).reduce((told, [tag, words]) => told.replace(tag, words), text);
}

export function inTags(text: string, before: string, asked: Asked, language: string): string {
  const written = pairs(asked, language).filter(([tag]) => before.includes(tag));
  return written.reduce((told, [tag, words]) => told.replace(words, tag), text);
}
