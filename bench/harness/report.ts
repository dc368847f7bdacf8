import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import type { Judged } from "./bounds.ts";
import { type Sample, type Spread, spreadOf } from "./figures.ts";
import type { Failure } from "./rounds.ts";

export type Spreads = Readonly<Record<string, Spread>>;

/** What `results/NAME.json` keeps of a run, and the page shows. `tables`: by table, row and figure. */
export interface Report {
  readonly setting: Readonly<Record<string, string>>;
  readonly bounds: readonly Judged[];
  readonly tables: Readonly<Record<string, Readonly<Record<string, Spreads>>>>;
  readonly failures: readonly Failure[];
}

export function summarize(samples: readonly Sample[]): Report["tables"] {
  const tables: Record<string, Record<string, Spreads>> = {};
  for (const { table, row } of samples) {
    const own = samples.filter((sample) => sample.table === table && sample.row === row);
    tables[table] = { ...tables[table], [row]: spreadsOf(own) };
  }
  return tables;
}

function spreadsOf(samples: readonly Sample[]): Spreads {
  const names = [...new Set(samples.flatMap(({ figures }) => Object.keys(figures)))];
  const valuesOf = (name: string) => samples.flatMap(({ figures }) => figures[name] ?? []);
  return Object.fromEntries(names.map((name) => [name, spreadOf(valuesOf(name))]));
}

/** The machine's hardware and software, without the name of the host. */
export function machineText(): string {
  const cpu = cpus()[0]?.model.trim() ?? "unknown processor";
  const system = `${type()} ${release()}, ${process.arch}, Node ${process.version}`;
  return `${cpu}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${system}`;
}

/** The exact versions of these packages, which the bench's manifest pins. */
export async function versionsText(packages: readonly string[]): Promise<string> {
  const manifest = JSON.parse(await readFile(fileIn("package.json"), "utf8")) as Record<string, Record<string, string>>;
  const versions = { ...manifest["dependencies"], ...manifest["devDependencies"] };
  return packages.map((name) => `${name} ${versions[name] ?? "unknown"}`).join(", ");
}

/** Below `bench/`. The bench runs compiled: this file is `bench/dist/harness/report.js`. */
export function fileIn(path: string): URL {
  return new URL(path, new URL("../../", import.meta.url));
}

export async function readReport(name: string): Promise<Report> {
  return JSON.parse(await readFile(fileIn(`results/${name}.json`), "utf8")) as Report;
}

/** JSON in one line. Numbers have nine digits. */
export async function writeReport(name: string, report: Report): Promise<void> {
  const round = (_: string, item: unknown) => (typeof item === "number" ? Number(item.toPrecision(9)) : item);
  await writeFile(fileIn(`results/${name}.json`), `${JSON.stringify(report, round)}\n`);
}
