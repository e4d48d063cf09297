/** Whether the server is there: lost and found again, and whether it lets us in. */

const LOOKS = 2_000;

class Connection {
  state = $state<"fine" | "lost" | "refused">("fine");
  /** How often the server came back: whoever shows what it said reads it again then. */
  returns = $state(0);
  private looking: ReturnType<typeof setInterval> | null = null;
  private readonly back = new EventTarget();

  lost(): void {
    if (this.state === "fine") this.state = "lost";
    this.looking ??= setInterval(() => void this.look(), LOOKS);
  }

  found(): void {
    if (this.looking) clearInterval(this.looking);
    this.looking = null;
    if (this.state === "lost") {
      this.state = "fine";
      this.returns += 1;
      this.back.dispatchEvent(new Event("back"));
    }
  }

  /** Whoever waits for the server to come back is called when it does, until the signal. */
  whenBack(call: () => void, signal: AbortSignal): void {
    this.back.addEventListener("back", call, { signal });
  }

  refused(): void {
    this.found();
    this.state = "refused";
  }

  /** Somebody brought a token: ask anew for everything. */
  admitted(): void {
    this.state = "fine";
    this.returns += 1;
  }

  private async look(): Promise<void> {
    const answer = await fetch(new URL("health", document.baseURI)).catch(() => null);
    if (answer?.ok) this.found();
  }
}

export const connection = new Connection();
