// Types of the HTTP API from its own description, read from standard input: see README.md.
// Only what succeeds is told apart by route: whatever fails is a Problem, everywhere.
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const description = JSON.parse(await text(process.stdin));
for (const operations of Object.values(description.paths)) {
  for (const operation of Object.values(operations)) {
    const succeeded = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith("2"));
    operation.responses = Object.fromEntries(succeeded);
  }
}
const types = await openapiTS(description, { alphabetize: true });
writeFileSync(new URL("src/api/schema.d.ts", import.meta.url), astToString(types));
