/** The chat that a view is about: the one in the address, else the one that was open last, else the newest. */

import { get } from "../api/client";
import type { ChatSummary } from "../api/names";
import { here } from "../shell/here.svelte";
import type { Place } from "../shell/route.svelte";

export interface Chosen {
  chat: ChatSummary;
  branch: string;
  chats: ChatSummary[];
}

export async function chosenChat(place: Place): Promise<Chosen | null> {
  const chats = await get("/v1/chats", { query: { limit: 200 } });
  const wanted = place.id ?? here.chat?.id;
  const chat = chats.find((one) => one.id === wanted) ?? chats[0];
  if (!chat) return null;
  const branch = place.id ? place.branch : chat.id === here.chat?.id ? here.chat.branch : "main";
  return { chat, branch, chats };
}
