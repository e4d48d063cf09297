/** Light or dark: the system's, unless somebody chose. */

export type Theme = "system" | "light" | "dark";

const KEY = "hakoniwa.theme";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

class Appearance {
  theme = $state<Theme>(kept());

  choose(theme: Theme): void {
    this.theme = theme;
    localStorage.setItem(KEY, theme);
    this.apply();
  }

  /** The next one round. */
  turn(): void {
    this.choose(THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] ?? "system");
  }

  apply(): void {
    if (this.theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
}

function kept(): Theme {
  const found = localStorage.getItem(KEY);
  return THEMES.find((one) => one === found) ?? "system";
}

export const appearance = new Appearance();
appearance.apply();
