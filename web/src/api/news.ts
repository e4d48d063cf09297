/** What streams tell, by the names of their events. */

import type { Called, Line, Pace, PatchOp, Played, Problem } from "./names";

interface Numbered {
  seq: number;
}

interface Reset extends Numbered {
  reason: "unknown" | "ahead" | "behind" | "purged";
}

/** An answer in a chat. */
export interface AnswerNews {
  recall: Called;
  piece: { text: string };
  done: { seq: number; turn: number };
  fault: Problem;
}

export interface Activity {
  phase: string;
  state: string;
  action_type: string | null;
  capability: string | null;
  result_status: string | null;
  summary_text: string | null;
  decision_id: number | null;
}

/** A chat. */
export interface ChatNews {
  hello: Numbered;
  reset: Reset;
  exchange: { seq: number; turn: number };
  "autonomy.activity": Activity;
  "autonomy.message": { message: string; message_kind: string; delivery_mode: string; action_type: string };
  "autonomy.control": { act: string; at: string; until: string | null };
}

export interface RowNews extends Numbered {
  parent: number | null;
  turn: number;
  kind: string;
  origin: string;
  lines: Line[];
  world_delta: PatchOp[];
}

export interface Speaking {
  turn: number;
  who: string | null;
  phase: "think" | "perform" | "retake" | null;
  text: string;
}

/** A garden. */
export interface GardenNews {
  hello: Numbered;
  reset: Reset;
  row: RowNews;
  speaking: Speaking;
  piece: { turn: number; who: string; text: string };
  pace: Pace;
  fault: Problem;
}

/** A turn that was asked for. */
export interface TurnNews {
  row: RowNews;
  speaking: Speaking;
  piece: { turn: number; who: string; text: string };
  done: Played;
  fault: Problem;
}
