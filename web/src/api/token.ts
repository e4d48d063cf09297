/** The installation's token: handed over once in the opened address, kept for this tab. */

const KEY = "hakoniwa.token";

export function token(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepToken(value: string): void {
  sessionStorage.setItem(KEY, value);
}

/** Take the token out of the address, so that it is in no history, bookmark or screenshot. */
export function takeToken(): void {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given === null) return;
  if (given) keepToken(given);
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
}
