import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Method } from "./figures.ts";
import { consoleText, fillPage, type Sections } from "./page.ts";
import type { Report } from "./results.ts";
import { fileIn, machineText, readReport, summarize, versionsText, writeReport } from "./results.ts";
import { runRounds, type Task } from "./rounds.ts";
import { judge, type Target } from "./targets.ts";

/** Tasks ready to run, with whatever they need started. */
export interface OpenBench {
  readonly tasks: readonly Task[];
  /** More lines of the page's first table, such as the server's version. */
  readonly setting: Readonly<Record<string, string>>;
  close?(): Promise<void>;
}

/** One of the benches: the measurements, the page's tables and the targets. */
export interface Bench {
  /** Results are in `results/NAME.json`, the page is `docs/NAME.md`. */
  readonly name: string;
  readonly packages: readonly string[];
  readonly method: Method;
  readonly sections: Sections;
  readonly targets: readonly Target[];
  /** `quick`: shorter measurements, for a first look. */
  open(quick: boolean): Promise<OpenBench>;
}

const ROUNDS = 5;

/** @throws Error when a flag is unknown, or `BENCH_ROUNDS` is not a whole number from 1 up. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv) {
  const flag = { type: "boolean", default: false } as const;
  const options = { quick: flag, only: { type: "string", default: "" }, page: flag } as const;
  const { values } = parseArgs({ args: [...args], options });
  return { ...values, rounds: readRounds(env, values.quick ? 1 : ROUNDS) };
}

export function readRounds(env: NodeJS.ProcessEnv, byDefault: number): number {
  const text = env["BENCH_ROUNDS"];
  if (text === undefined || text === "") return byDefault;
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 1) return rounds;
  throw new Error(`BENCH_ROUNDS: expected a whole number from 1 up, got ${text}`);
}

const BUSY = 0.5;

export function warnIfBusy(): void {
  const [load = 0] = loadavg();
  if (load > BUSY) console.log(`The machine is busy (load ${load.toFixed(1)}): expect slower results.\n`);
}

/** Runs a bench, prints the results, and writes them with their page. A missed target is not a failure of the run. */
export async function runBench(bench: Bench, options: ReturnType<typeof readOptions>): Promise<void> {
  if (options.page) return writePage(bench, await readReport(bench.name));
  warnIfBusy();
  const { tasks, setting, close } = await bench.open(options.quick);
  let finished: Awaited<ReturnType<typeof runRounds>>;
  try {
    const chosen = tasks.filter(({ name }) => name.includes(options.only));
    if (chosen.length === 0) throw new Error(`--only: no task has ${options.only} in its name`);
    finished = await runRounds(chosen, options.rounds, console.log);
  } finally {
    await close?.();
  }
  const { samples, misses } = finished;
  const date = new Date().toISOString().slice(0, "2026-01-31".length);
  const rounds = `${options.rounds}; figures are medians`;
  const versions = await versionsText(bench.packages);
  const report: Report = {
    setting: { date, machine: machineText(), ...setting, rounds, versions },
    targets: bench.targets.map((target) => judge(target, samples, bench.method)),
    rows: summarize(samples),
    misses,
  };
  console.log(consoleText(report, bench.sections));
  if (!options.quick && options.only === "") {
    await writeReport(bench.name, report);
    await writePage(bench, report);
  }
  if (report.misses.some(({ kind }) => kind === "failed")) process.exitCode = 1;
}

async function writePage({ name, sections }: Bench, report: Report): Promise<void> {
  const page = fileIn(`../docs/${name}.md`);
  await writeFile(page, fillPage(await readFile(page, "utf8"), report, sections));
}
