/** The part of a garden's script that is at hand: it grows at both ends as somebody reads, and as it is played. */

import { get } from "../api/client";
import type { Line, ScriptPage } from "../api/names";
import type { RowNews } from "../api/news";
import { tried } from "../shell/toasts.svelte";

const PAGE = 120;
const CONTEXT = 4; // turns that are shown before the one that is looked for

/** What the script has of one row of the journal. */
export interface Entry {
  seq: number;
  turn: number;
  lines: Line[];
}

export class Script {
  entries = $state.raw<Entry[]>([]);
  private ends = $state.raw<Pick<ScriptPage, "before" | "after">>({ before: null, after: null });
  private paging = false;
  private reads = 0;

  constructor(
    private readonly id: string,
    private readonly branch: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether the newest line is at hand. */
  get isNewest(): boolean {
    return this.ends.after === null;
  }

  /** Begin anew at a turn, or at the end. */
  async read(from: { turn?: number } = {}): Promise<void> {
    const read = (this.reads += 1);
    const page = await this.page(from);
    if (read !== this.reads) return; // another part was asked for meanwhile
    this.entries = entriesOf(page.lines);
    this.ends = { before: page.before, after: page.after };
  }

  /** See to it that a turn is at hand. */
  async seek(turn: number): Promise<void> {
    const [first, last] = [this.entries[0], this.entries.at(-1)];
    const there = first && last && first.turn <= turn && (last.turn >= turn || this.isNewest);
    if (!there) await this.read({ turn: Math.max(0, turn - CONTEXT) });
  }

  /** The page before what is at hand. */
  earlier = (): Promise<void> => this.extend("before");
  /** The page after what is at hand. */
  later = (): Promise<void> => this.extend("after");

  private async extend(side: "before" | "after"): Promise<void> {
    const from = this.ends[side];
    if (from === null || this.paging) return;
    this.paging = true;
    const read = this.reads;
    await tried(async () => {
      const page = await this.page({ [side]: from });
      if (read !== this.reads) return;
      const found = entriesOf(page.lines);
      this.entries = side === "before" ? [...found, ...this.entries] : [...this.entries, ...found];
      this.ends = { ...this.ends, [side]: page[side] };
    });
    this.paging = false;
  }

  private page(from: { turn?: number; before?: number; after?: number }): Promise<ScriptPage> {
    const query = { branch: this.branch, limit: PAGE, ...from };
    return get("/v1/gardens/{id}/script", { path: { id: this.id }, query, signal: this.signal });
  }

  /** A row was written; whatever came after the one before it has been taken back. */
  write(row: RowNews): void {
    const kept = this.until(row.parent);
    const isNew = row.lines.length > 0 && this.isNewest && row.seq > (kept.at(-1)?.seq ?? 0);
    if (isNew) this.entries = [...kept, { seq: row.seq, turn: row.turn, lines: row.lines }];
    else if (kept.length !== this.entries.length) this.entries = kept;
  }

  private until(seq: number | null): Entry[] {
    return this.entries.filter((one) => one.seq <= (seq ?? 0));
  }
}

/** Lines by the rows they are from. */
export function entriesOf(lines: readonly Line[]): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    if (last?.seq === line.seq) last.lines.push(line);
    else entries.push({ seq: line.seq, turn: line.turn, lines: [line] });
  }
  return entries;
}
