/** A scenario to begin with: one place, a few people, a few things. The rest is written by hand. */

/** The name that a scenario of this title is kept under; its own letters as far as file names and ids take them. */
export function nameFor(title: string, taken: readonly string[]): string {
  const latin = title.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40);
  const first = latin || "scenario";
  let name = first;
  for (let number = 2; taken.includes(name); number += 1) name = `${first}_${number}`;
  return name;
}

export interface Outline {
  name: string;
  title: string;
  language: "ja" | "en";
  description: string;
  place: string;
  cast: { sheet: string; name: string }[];
  things: string[];
}

/** Text that YAML takes for nothing else; JSON's quoting is YAML's too. */
const quoted = (text: string): string => JSON.stringify(text);

export function scenarioOf(outline: Outline): string {
  const { name, title, language, description, place, cast, things } = outline;
  const props = things.map((one) => `    ${quoted(one)}: {location: ${quoted(place)}}`);
  return [
    `id: ${quoted(name)}`,
    `title: ${quoted(title)}`,
    `language: ${language}`,
    `description: ${quoted(description)}`,
    "",
    "world:",
    '  version: "0.2"',
    `  location: {current: ${quoted(place)}}`,
    "  locations:",
    `    ${quoted(place)}: {description: ""}`,
    "  characters:",
    ...cast.map((one) => `    ${quoted(one.name)}: {location: ${quoted(place)}}`),
    ...(props.length ? ["  props:", ...props] : ["  props: {}"]),
    "",
    "cast:",
    ...cast.map((one) => `  ${quoted(one.name)}: {sheet: ${one.sheet}}`),
    "",
  ].join("\n");
}
