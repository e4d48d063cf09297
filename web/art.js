// The art that Python draws from: pictures of things with the words for them, and the parts of drawn faces.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const PACKAGES = new URL("node_modules/", import.meta.url);
const TARGET = new URL("../src/hakoniwa/pictures/built/", import.meta.url);
const GROUPS = { 3: "nature", 4: "food", 5: "places", 6: "activities", 7: "objects" };
const LANGUAGES = ["en", "ja"];

const read = (path) => JSON.parse(readFileSync(new URL(path, PACKAGES), "utf-8"));
const bare = (code) => code.toLowerCase().replaceAll("-fe0f", "");

/** Pictures by their names, each with the words of its emoji: the label first, then keywords. */
function things() {
  const { icons } = read("@iconify-json/fluent-emoji-flat/icons.json");
  const names = new Map(Object.entries(read("@iconify-json/fluent-emoji-flat/chars.json")).map(([code, name]) => [bare(code), name]));
  const found = {};
  for (const language of LANGUAGES) {
    for (const one of read(`emojibase-data/${language}/data.json`)) {
      const name = names.get(bare(one.hexcode));
      if (!GROUPS[one.group] || !icons[name]) continue;
      found[name] ??= { art: icons[name].body, group: GROUPS[one.group] };
      found[name][language] = [one.label, ...(one.tags ?? [])];
    }
  }
  return found;
}

mkdirSync(TARGET, { recursive: true });
const write = (name, what) => writeFileSync(new URL(name, TARGET), JSON.stringify(what));
write("things.json", things());
write("faces.json", read("@dicebear/styles/src/lorelei.json"));
