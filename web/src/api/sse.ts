/** Server-sent events over fetch, which unlike EventSource can send headers and a body. */

export interface ServerEvent {
  id: string | null;
  name: string;
  data: string;
}

/** The events of a stream as they come; a comment comes as an event without a name. */
export async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough<string>(new TextDecoderStream()).getReader();
  const block = new Block();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = block.read(line);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The lines of one event until the empty one that ends it. */
class Block {
  private id: string | null = null;
  private name = "";
  private data: string[] = [];

  read(line: string): ServerEvent | null {
    if (line === "") return this.end();
    if (line.startsWith(":")) return { id: null, name: "", data: "" };
    const [field, value] = parted(line);
    if (field === "id") this.id = value;
    else if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    return null;
  }

  private end(): ServerEvent | null {
    const event = this.data.length ? { id: this.id, name: this.name, data: this.data.join("\n") } : null;
    this.id = null;
    this.name = "";
    this.data = [];
    return event;
  }
}

function parted(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}
