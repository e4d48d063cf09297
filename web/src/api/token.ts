/** The installation's token: whoever hands it over gets a cookie for it, which no script can read. */

const REFUSED = "refused";

/** Hand a token over, and say whether it was the right one. */
export async function handOver(token: string): Promise<boolean> {
  const address = new URL(`.?${new URLSearchParams({ token })}`, document.baseURI);
  const answer = await fetch(address, { cache: "no-store" });
  return !new URL(answer.url).searchParams.has(REFUSED);
}

/** Whether the address we were opened with had the wrong token. */
export const wasRefused = takeRefusal();

/** Take it out of the address, which is to be kept and opened again. */
function takeRefusal(): boolean {
  const address = new URL(location.href);
  if (!address.searchParams.has(REFUSED)) return false;
  address.searchParams.delete(REFUSED);
  history.replaceState(history.state, "", address);
  return true;
}
