import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { VARIANTS } from "./http/catalog.ts";
import { findGenerator } from "./http/generator/find.ts";
import { FULL, QUICK } from "./http/measure/plan.ts";
import { runRounds } from "./http/measure/rounds.ts";
import { PAGE, RESULTS } from "./http/paths.ts";
import { consoleText } from "./http/report/console-text.ts";
import { pageOf } from "./http/report/page.ts";
import type { Report } from "./http/report/report.ts";
import { summarize } from "./http/report/summarize.ts";
import { judge, TARGETS } from "./http/report/targets.ts";
import { readVersions } from "./http/report/versions.ts";
import { nameOf } from "./http/variant.ts";
import { readOptions } from "./orchestrate/options.ts";
import { thisMachine } from "./report/machine.ts";

// `npm run bench:http`: measures servers with and without limiters, prints it, and writes the results and the page about
// them. With `--quick` or `--only` it only prints. Fails when something could not be measured or a server answered wrongly,
// not when a target is missed.
const BUSY = 0.5;
const { rounds, quick, only } = readOptions(process.argv.slice(2), process.env);
const chosen = VARIANTS.filter((variant) => nameOf(variant).includes(only));
if (chosen.length === 0) throw new Error(`--only: no variant's name has ${only} in it`);
const [load = 0] = loadavg();
if (load > BUSY) console.log(`The machine is busy (load ${load.toFixed(1)}): numbers will be worse than they are.\n`);

const generator = await findGenerator();
const plan = quick ? QUICK : FULL;
console.log(`Load: ${generator.name}, ${plan.connections} connections.\n`);
const finished = await runRounds(chosen, rounds, plan, generator);
const results = summarize(finished, VARIANTS);
const targets = TARGETS.map((target) => judge(target, finished.samples));
console.log(consoleText({ results, targets }));

if (!quick && only === "") {
  const date = new Date().toISOString().slice(0, "2026-01-31".length);
  const machine = thisMachine();
  const versions = await readVersions();
  const report: Report = { date, machine, generator: generator.name, plan, rounds, versions, targets, results };
  await mkdir(new URL(".", RESULTS), { recursive: true });
  await writeFile(RESULTS, `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile(PAGE, pageOf(report));
}
if (results.failures.length > 0) process.exitCode = 1;
