import { readFile, writeFile } from "node:fs/promises";
import { PAGE, RESULTS } from "./redis/paths.ts";
import { pageOf } from "./redis/report/page.ts";
import type { Report } from "./redis/report/report.ts";

// Writes the page anew from the last results, after a change of its words.
await writeFile(PAGE, pageOf(JSON.parse(await readFile(RESULTS, "utf8")) as Report));
