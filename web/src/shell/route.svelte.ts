/** Where in the page we are: all of it behind the `#`, so that it works under any path and offline. */

export const VIEWS = ["garden", "chat", "map", "timeline", "why", "autonomy", "memory", "editor", "lab", "settings"] as const;
export type View = (typeof VIEWS)[number];

/** A view, the garden or chat it is about with its line of play, and what else is asked for. */
export interface Place {
  view: View;
  id: string | null;
  branch: string;
  query: URLSearchParams;
}

const MAIN = "main";

function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view, id, branch] = path.split("/").map(decoded);
  return {
    view: VIEWS.find((one) => one === view) ?? "garden",
    id: id || null,
    branch: branch || MAIN,
    query: new URLSearchParams(query),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place. */
export function href(
  view: View,
  id?: string | null,
  branch: string = MAIN,
  query: Record<string, string> = {},
): string {
  const parts = [view, ...(id ? [id, ...(branch === MAIN ? [] : [branch])] : [])];
  const asked = new URLSearchParams(query).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

class Route {
  place = $state.raw(placeOf(location.hash));

  constructor() {
    window.addEventListener("hashchange", () => (this.place = placeOf(location.hash)));
  }

  go(...where: Parameters<typeof href>): void {
    location.hash = href(...where);
  }

  /** Another query in the same place, without a step in the history. */
  ask(query: Record<string, string>): void {
    const { view, id, branch } = this.place;
    history.replaceState(history.state, "", href(view, id, branch, query));
    this.place = placeOf(location.hash);
  }
}

export const route = new Route();
