import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { CATALOG } from "./contenders/catalog.ts";
import { readOptions } from "./orchestrate/options.ts";
import { LATEST, PAGE } from "./orchestrate/paths.ts";
import { runRounds } from "./orchestrate/rounds.ts";
import { smaller } from "./orchestrate/smaller.ts";
import { allTasks, nameOf } from "./orchestrate/task.ts";
import { readVersions } from "./orchestrate/versions.ts";
import { consoleText } from "./report/console-text.ts";
import { thisMachine } from "./report/machine.ts";
import { pageOf } from "./report/page.ts";
import type { Report } from "./report/report.ts";
import { summarize } from "./report/summarize.ts";
import { judge, TARGETS } from "./report/targets.ts";
import { ROWS } from "./threads/catalog.ts";
import { runThreadRounds } from "./threads/orchestrate/rounds.ts";
import { allThreadTasks, nameOf as nameOfThreads } from "./threads/orchestrate/task.ts";
import { FULL, QUICK } from "./threads/plan.ts";
import { summarizeThreads } from "./threads/report/summarize.ts";
import { judgeThreads, THREAD_TARGETS } from "./threads/report/targets.ts";

// `npm run bench`: measures everything, prints it, and writes the results and the page about them. With `--quick` or
// `--only` it only prints. Fails when something could not be measured, not when a target is missed.
const BUSY = 0.5;
const { rounds, quick, only } = readOptions(process.argv.slice(2), process.env);
const chosen = allTasks(CATALOG).filter((task) => nameOf(task).includes(only));
const chosenThreads = allThreadTasks(ROWS).filter((task) => nameOfThreads(task).includes(only));
if (chosen.length + chosenThreads.length === 0) throw new Error(`--only: no task's name has ${only} in it`);
const [load = 0] = loadavg();
if (load > BUSY) console.log(`The machine is busy (load ${load.toFixed(1)}): numbers will be worse than they are.\n`);

const results = summarize(await runRounds(quick ? chosen.map(smaller) : chosen, rounds), CATALOG);
const threads = summarizeThreads(await runThreadRounds(chosenThreads, rounds, quick ? QUICK : FULL), ROWS);
const targets = [
  ...TARGETS.map((target) => judge(target, results)),
  ...THREAD_TARGETS.map((target) => judgeThreads(target, threads)),
];
console.log(consoleText({ results, threads, targets }));

if (!quick && only === "") {
  const date = new Date().toISOString().slice(0, "2026-01-31".length);
  const report: Report = {
    date,
    machine: thisMachine(),
    rounds,
    versions: await readVersions(),
    targets,
    results,
    threads,
  };
  await mkdir(new URL(".", LATEST), { recursive: true });
  await writeFile(LATEST, `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile(PAGE, pageOf(report));
}
if ([...results.misses, ...threads.misses].some(({ kind }) => kind === "failed")) process.exitCode = 1;
