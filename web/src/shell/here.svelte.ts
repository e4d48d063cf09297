/** The garden and the chat that were open last: the other views are about them. */

export interface Spot {
  id: string;
  branch: string;
}

class Here {
  garden = $state.raw(kept("garden"));
  chat = $state.raw(kept("chat"));

  be(kind: "garden" | "chat", spot: Spot | null): void {
    this[kind] = spot;
    if (spot) localStorage.setItem(key(kind), JSON.stringify(spot));
    else localStorage.removeItem(key(kind));
  }
}

const key = (kind: string): string => `hakoniwa.here.${kind}`;

function kept(kind: string): Spot | null {
  try {
    const found = JSON.parse(localStorage.getItem(key(kind)) ?? "null") as Partial<Spot> | null;
    return found?.id && found.branch ? { id: found.id, branch: found.branch } : null;
  } catch {
    return null;
  }
}

export const here = new Here();
