// The page's own drawing of gardens, from views on standard input: what is drawn, and where. Bundled by the page's esbuild.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , web, map, width, columns] = process.argv;
const { buildSync } = createRequire(`${web}/`)("esbuild");
const entry = `export { pictureOf } from "./picture"; export { layoutOf } from "./layout";`;
const built = buildSync({
  stdin: { contents: entry, resolveDir: map, loader: "ts" },
  bundle: true,
  format: "esm",
  write: false,
});
const code = Buffer.from(built.outputFiles[0].text).toString("base64");
const { pictureOf, layoutOf } = await import(`data:text/javascript;base64,${code}`);
for (const line of readFileSync(0, "utf-8").split("\n").filter(Boolean)) {
  const picture = pictureOf(JSON.parse(line));
  console.log(JSON.stringify({ picture, layout: layoutOf(picture, Number(width), Number(columns)) }));
}
