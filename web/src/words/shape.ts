/** What a catalogue has to say: the shape of the English one, which every other must have exactly. */

import type { en } from "./en";

type Shape<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: Shape<T[Key]> };

export type Words = Shape<typeof en>;
