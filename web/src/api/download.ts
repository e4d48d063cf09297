/** Files to keep: fetched with the token, then handed to the browser. */

import { addressOf, headers, send } from "./client";
import type { paths } from "./schema";

export async function download<P extends keyof paths>(
  route: P,
  asked: { path?: unknown; query?: unknown },
  name: string,
): Promise<void> {
  const response = await send(addressOf(route, asked), { headers: headers() });
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** The bytes of a file in base64. */
export async function base64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(text);
}
