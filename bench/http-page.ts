import { readFile, writeFile } from "node:fs/promises";
import { PAGE, RESULTS } from "./http/paths.ts";
import { pageOf } from "./http/report/page.ts";
import type { Report } from "./http/report/report.ts";

// Writes the page anew from the last results, after a change of its words.
await writeFile(PAGE, pageOf(JSON.parse(await readFile(RESULTS, "utf8")) as Report));
