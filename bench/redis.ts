import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { readOptions } from "./orchestrate/options.ts";
import { VARIANTS } from "./redis/catalog.ts";
import { FULL, QUICK } from "./redis/measure/plan.ts";
import { runRounds } from "./redis/measure/rounds.ts";
import { PAGE, RESULTS } from "./redis/paths.ts";
import { consoleText } from "./redis/report/console-text.ts";
import { pageOf } from "./redis/report/page.ts";
import type { Report } from "./redis/report/report.ts";
import { summarize } from "./redis/report/summarize.ts";
import { judge, TARGETS } from "./redis/report/targets.ts";
import { readVersions } from "./redis/report/versions.ts";
import { RedisServer } from "./redis/server/redis-server.ts";
import { nameOf } from "./redis/variant.ts";
import { thisMachine } from "./report/machine.ts";

// `npm run bench:redis`: measures limiters that count in Redis, prints it, and writes the results and the page about them.
// With `--quick` or `--only` it only prints. Fails when something could not be measured or decided wrongly, not when a target
// is missed.
const BUSY = 0.5;
const { rounds, quick, only } = readOptions(process.argv.slice(2), process.env);
const chosen = VARIANTS.filter((variant) => nameOf(variant).includes(only));
if (chosen.length === 0) throw new Error(`--only: no variant's name has ${only} in it`);
const [load = 0] = loadavg();
if (load > BUSY) console.log(`The machine is busy (load ${load.toFixed(1)}): numbers will be worse than they are.\n`);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const server = await RedisServer.start();
console.log(`Server: ${server.version}, port ${server.port}.\n`);
const plan = quick ? QUICK : FULL;
const finished = await runRounds(chosen, rounds, plan, server.port);
await server.stop();
const results = summarize(finished, VARIANTS);
const targets = TARGETS.map((target) => judge(target, finished.samples, finished.weights));
console.log(consoleText({ results, targets }));

if (!quick && only === "") {
  const date = new Date().toISOString().slice(0, "2026-01-31".length);
  const machine = thisMachine();
  const versions = await readVersions();
  const report: Report = { date, machine, server: server.version, plan, rounds, versions, targets, results };
  await mkdir(new URL(".", RESULTS), { recursive: true });
  await writeFile(RESULTS, `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile(PAGE, pageOf(report));
}
if (results.failures.length > 0) process.exitCode = 1;
