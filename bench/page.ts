import { readFile, writeFile } from "node:fs/promises";
import { LATEST, PAGE } from "./orchestrate/paths.ts";
import { pageOf } from "./report/page.ts";
import type { Report } from "./report/report.ts";

// Writes the page anew from the last results, after a change of its words.
await writeFile(PAGE, pageOf(JSON.parse(await readFile(LATEST, "utf8")) as Report));
