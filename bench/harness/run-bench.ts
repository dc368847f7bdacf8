import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Bound, judge } from "./bounds.ts";
import { partsOf, type Sample } from "./figures.ts";
import { fillPage, reportText, type Table } from "./page.ts";
import { fileIn, machineText, type Report, readReport, summarize, versionsText, writeReport } from "./report.ts";
import { nameOf, runRounds, type Task } from "./rounds.ts";

/** Tasks that are ready to run. */
export interface OpenBench {
  readonly tasks: readonly Task[];
  /** More lines of the setting, such as the server's version. */
  readonly setting?: Readonly<Record<string, string>>;
  close?(): Promise<void>;
}

export interface Bench {
  /** Results are in `results/NAME.json`, and in the block NAME of `docs/bench.md`. */
  readonly name: string;
  /** The pinned packages whose versions the page states. */
  readonly packages: readonly string[];
  readonly tables: readonly Table[];
  readonly bounds: readonly Bound[];
  /** `quick`: shorter measurements, for a first look. */
  open(quick: boolean): Promise<OpenBench>;
}

const ROUNDS = 5;
const GUARD_ROUNDS = 3;
const GUARD_ATTEMPTS = 3;
const BUSY = 0.5;

const FLAG = { type: "boolean", default: false } as const;

/**
 * Runs a bench, prints the results, and writes them with their block of the page.
 *
 * - `--quick` and `--only TEXT` print only.
 * - `--page` writes the page from stored results.
 * - `--guard` measures what the bounds need, and fails when a bound does not hold.
 * - `BENCH_ROUNDS` sets the number of rounds.
 */
export async function runBench(bench: Bench, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const only = { type: "string", default: "" } as const;
  const { values } = parseArgs({ args: [...args], options: { quick: FLAG, page: FLAG, guard: FLAG, only } });
  if (values.page) return writePage(bench, await readReport(bench.name));
  const [load = 0] = loadavg();
  if (load > BUSY) console.log(`The machine is busy (load ${load.toFixed(1)}): expect slower results.\n`);
  const { tasks, setting = {}, close } = await bench.open(values.quick);
  try {
    const chosen = tasks.filter((task) => nameOf(task).includes(values.only));
    if (chosen.length === 0) throw new Error(`--only: no task has ${values.only} in its name`);
    if (values.guard) return await guard(bench.bounds, chosen, roundsIn(env, GUARD_ROUNDS));
    const rounds = roundsIn(env, values.quick ? 1 : ROUNDS);
    const { samples, failures } = await runRounds(chosen, rounds, console.log);
    const date = new Date().toISOString().slice(0, "2026-01-31".length);
    const busy = load > BUSY ? { load: `${load.toFixed(1)} before the run: other work slowed it` } : {};
    const about = { date, machine: machineText(), ...busy, ...setting, rounds: `${rounds}` };
    const bounds = bench.bounds.map((bound) => judge(bound, samples));
    const versions = await versionsText(bench.packages);
    const report: Report = { setting: { ...about, versions }, bounds, tables: summarize(samples), failures };
    console.log(`\n${reportText(report, bench.tables)}`);
    if (failures.length > 0) process.exitCode = 1;
    if (values.quick || values.only !== "") return;
    await writeReport(bench.name, report);
    await writePage(bench, report);
  } finally {
    await close?.();
  }
}

function roundsIn(env: NodeJS.ProcessEnv, byDefault: number): number {
  const rounds = Number(env["BENCH_ROUNDS"] ?? byDefault);
  if (Number.isInteger(rounds) && rounds >= 1) return rounds;
  throw new Error(`BENCH_ROUNDS: expected a whole number from 1 up, got ${env["BENCH_ROUNDS"]}`);
}

async function writePage({ name, tables }: Bench, report: Report): Promise<void> {
  const page = fileIn("../docs/bench.md");
  await writeFile(page, fillPage(await readFile(page, "utf8"), name, reportText(report, tables)));
}

/** Measures again what did not hold: noise goes away, a regression does not. */
async function guard(bounds: readonly Bound[], tasks: readonly Task[], rounds: number): Promise<void> {
  let left = bounds.filter((bound) => tasksOf([bound], tasks).length > 0);
  for (let attempt = 1; attempt <= GUARD_ATTEMPTS && left.length > 0; attempt += 1) {
    const { samples } = await runRounds(tasksOf(left, tasks), rounds, console.log);
    left = left.filter((bound) => !isHeld(bound, samples));
  }
  if (left.length > 0) process.exitCode = 1;
}

function isHeld(bound: Bound, samples: readonly Sample[]): boolean {
  const { text, aim, measured, holds } = judge(bound, samples);
  console.log(`${holds ? "holds" : "FAILS"}  ${text}: ${aim}, measured ${measured?.median.toFixed(2) ?? "nothing"}`);
  return holds;
}

/** The tasks that measure a figure of these bounds. */
function tasksOf(bounds: readonly Bound[], tasks: readonly Task[]): Task[] {
  const paths = bounds.flatMap(({ of, over }) => (over === undefined ? [of] : [of, over])).map(partsOf);
  return tasks.filter((task) =>
    paths.some(({ table, rows }) => table === task.table && rows.some((row) => task.rows.includes(row))),
  );
}
