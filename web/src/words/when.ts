/** Times and numbers, as they are written in the language of whoever reads. */

import { language } from "./index.svelte";

const DAY = 86_400_000;

/** A time today as the time, an earlier one with its day. */
export function when(at: string | null | undefined): string {
  if (!at) return "";
  const time = new Date(at);
  const today = new Date();
  const sameDay = time.toDateString() === today.toDateString();
  const sameYear = time.getFullYear() === today.getFullYear();
  return time.toLocaleString(language.code, {
    ...(sameDay ? {} : { month: "short", day: "numeric", ...(sameYear ? {} : { year: "numeric" }) }),
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** How long ago, roughly. */
export function ago(at: string | null | undefined): string {
  if (!at) return "";
  const passed = Date.now() - new Date(at).getTime();
  const format = new Intl.RelativeTimeFormat(language.code, { numeric: "auto" });
  if (passed < 60_000) return format.format(0, "second");
  if (passed < 3_600_000) return format.format(-Math.max(0, Math.round(passed / 60_000)), "minute");
  if (passed < DAY) return format.format(-Math.round(passed / 3_600_000), "hour");
  return format.format(-Math.round(passed / DAY), "day");
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString(language.code, { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/** Milliseconds as people read them. */
export function took(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  return ms < 1000 ? `${number(ms)} ms` : `${number(ms / 1000, 1)} s`;
}
