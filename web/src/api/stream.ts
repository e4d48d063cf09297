/** Two ways to listen: to one answer until it ends, and to what happens for as long as anybody cares. */

import { connection } from "../shell/connection.svelte";
import { addressOf, headers, send, type Wanted } from "./client";
import { Failure, isAbort, unreachable } from "./problem";
import type { paths } from "./schema";
import { eventsOf, type ServerEvent } from "./sse";

const SILENCE = 40_000; // the server says something at least every 15 seconds
const FIRST_WAIT = 400;
const LONGEST_WAIT = 8_000;

type Posting = { [P in keyof paths]: paths[P]["post"] extends object ? P : never }[keyof paths];

/** An event of a stream by its name, with what it says; which names there are is in news.ts. */
export type Told<News> = { [Name in keyof News]: { name: Name; data: News[Name]; id: string | null } }[keyof News];

/** Ask for something that is answered piece by piece. */
export async function* answer<News, P extends Posting>(
  route: P,
  body: Wanted<P>,
  path: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Told<News>> {
  const response = await send(addressOf(route, { path }), {
    method: "POST",
    signal,
    body: JSON.stringify(body),
    headers: headers({ "content-type": "application/json", accept: "text/event-stream" }),
  });
  yield* toldIn<News>(response);
}

/** Listen to an answer that somebody asked for before, from its beginning; nothing comes if there is none any more. */
export async function* underWay<News>(address: URL, signal: AbortSignal): AsyncGenerator<Told<News>> {
  const response = await send(address, { signal, headers: headers({ accept: "text/event-stream" }) });
  if (response.body) yield* toldIn<News>(response);
}

async function* toldIn<News>(response: Response): AsyncGenerator<Told<News>> {
  for await (const event of unbroken(response)) {
    if (event.name) yield toldOf<News>(event.name, event.data, event.id);
  }
}

/** The events of an answer; one that breaks off in the middle comes from a server that is gone. */
async function* unbroken(response: Response): AsyncGenerator<ServerEvent> {
  try {
    yield* eventsOf(bodyOf(response));
  } catch (error) {
    if (isAbort(error)) throw error;
    connection.lost();
    throw unreachable();
  }
}

/** Listen to what happens until the signal; comes back by itself, after the last thing it heard.
 *
 * What is only in the air is told anew whenever it comes back: `anew` is there to forget what was told of it before. */
export async function listen<News>(
  address: () => URL,
  hear: (told: Told<News>) => void,
  signal: AbortSignal,
  anew: () => void = () => undefined,
): Promise<void> {
  let last: string | null = null;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      for await (const told of attached<News>(address(), last, signal, anew)) {
        wait = FIRST_WAIT;
        last = told.id ?? last;
        hear(told);
      }
    } catch (error) {
      if (signal.aborted || !worthAnotherTry(error)) return;
      connection.lost();
    }
    await slept(wait, signal);
    wait = Math.min(LONGEST_WAIT, wait * 2);
  }
}

/** Whoever is not let in, or asks for what is not there, need not ask again. */
function worthAnotherTry(error: unknown): boolean {
  return !(error instanceof Failure) || ![401, 403, 404, 421, 422].includes(error.status);
}

async function* attached<News>(
  address: URL,
  last: string | null,
  outer: AbortSignal,
  anew: () => void,
): AsyncGenerator<Told<News>> {
  const own = new AbortController();
  const signal = AbortSignal.any([outer, own.signal]);
  let watchdog = setTimeout(() => own.abort(), SILENCE);
  const more: Record<string, string> = last === null ? {} : { "last-event-id": last };
  try {
    const response = await send(address, { signal, headers: headers({ accept: "text/event-stream", ...more }) });
    anew();
    for await (const event of eventsOf(bodyOf(response))) {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => own.abort(), SILENCE);
      if (event.name) yield toldOf<News>(event.name, event.data, event.id);
    }
  } catch (error) {
    if (outer.aborted || !isAbort(error)) throw error;
  } finally {
    clearTimeout(watchdog);
  }
}

function toldOf<News>(name: string, data: string, id: string | null): Told<News> {
  return { name, data: JSON.parse(data) as unknown, id } as Told<News>;
}

function bodyOf(response: Response): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (!response.body) throw new TypeError("an answer without a body");
  return response.body;
}

/** Wait, but no longer than anybody cares, and not once the network or the server is known to be back. */
function slept(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const waiting = new AbortController();
    const over = (): void => {
      clearTimeout(timer);
      waiting.abort();
      resolve();
    };
    const timer = setTimeout(over, ms * (0.75 + Math.random() / 2));
    signal.addEventListener("abort", over, { signal: waiting.signal });
    window.addEventListener("online", over, { signal: waiting.signal });
    connection.whenBack(over, waiting.signal);
  });
}
