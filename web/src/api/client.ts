/** The HTTP API, typed by its own description. */

import { language } from "../words/index.svelte";
import { connection } from "../shell/connection.svelte";
import { failureOf, isAbort, unreachable } from "./problem";
import type { paths } from "./schema";

type Method = "get" | "post";
type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;
type PathOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths];
type Parameters<O> = O extends { parameters: infer R } ? R : never;
type Content<O> = O extends { responses: infer R } ? R[keyof R & (200 | 201)] : never;
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;

/** What a route answers with. */
export type Ok<P extends keyof paths, M extends Method = "get"> =
  Content<Operation<P, M>> extends { content: { "application/json": infer A } } ? A : never;
/** What a route wants to be told. */
export type Wanted<P extends PathOf<"post">> = Body<Operation<P, "post">>;

interface Asked<O> {
  path?: Parameters<O> extends { path: infer V } ? V : never;
  query?: Parameters<O> extends { query?: infer V } ? V : never;
  signal?: AbortSignal;
}
type Named = Record<string, string | number | boolean | null | undefined>;

const ROOT = new URL(".", document.baseURI);

export async function get<P extends PathOf<"get">>(
  route: P,
  asked: Asked<Operation<P, "get">> = {},
): Promise<Ok<P, "get">> {
  const response = await send(addressOf(route, asked), { signal: asked.signal, headers: headers() });
  const told = (await response.json()) as Ok<P, "get">;
  asked.signal?.throwIfAborted();
  return told;
}

export async function post<P extends PathOf<"post">>(
  route: P,
  body: Wanted<P>,
  asked: Asked<Operation<P, "post">> = {},
): Promise<Ok<P, "post">> {
  const response = await send(addressOf(route, asked), {
    method: "POST",
    signal: asked.signal,
    body: JSON.stringify(body ?? {}),
    headers: headers({ "content-type": "application/json", accept: "application/json" }),
  });
  return (await response.json()) as Ok<P, "post">;
}

/** A route's address, for those who stream. */
export function addressOf<P extends keyof paths>(route: P, asked: { path?: unknown; query?: unknown } = {}): URL {
  const places = (asked.path ?? {}) as Named;
  const filled = route.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(places[name])));
  const address = new URL(filled, ROOT);
  for (const [name, value] of Object.entries((asked.query ?? {}) as Named)) {
    if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
  }
  return address;
}

/** The headers of every request: in which language they want to be told. Who asks is in a cookie (token.ts). */
export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { "accept-language": language.code, ...more };
}

/** The answer to a request, or a Failure. */
export async function send(address: URL, request: RequestInit): Promise<Response> {
  const response = await fetch(address, request).catch((error: unknown) => {
    if (isAbort(error)) throw error;
    connection.lost();
    throw unreachable();
  });
  if (response.ok) return (connection.found(), response);
  const failure = await failureOf(response);
  if (failure.status === 401) connection.refused();
  else if (isGateway(response)) connection.lost();
  else connection.found();
  throw failure;
}

/** A proxy before a server that is gone answers in its place, but not in its words. */
function isGateway(response: Response): boolean {
  const told = response.headers.get("content-type") ?? "";
  return response.status >= 500 && !told.includes("problem+json");
}
