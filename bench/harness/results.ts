import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { type Spread, spreadOf } from "./figures.ts";
import type { Miss, Sample } from "./rounds.ts";
import type { Judged } from "./targets.ts";

type Figures = Readonly<Record<string, Spread>>;

/** A row of the page: its figures in each table. */
export type Row = { readonly row: string; readonly tables: Readonly<Record<string, Figures>> };

/** The results of a run. `results/` has one file for each bench, `docs/` the page about it. */
export interface Report {
  readonly setting: Readonly<Record<string, string>>;
  readonly targets: readonly Judged[];
  readonly rows: readonly Row[];
  readonly misses: readonly Miss[];
}

export function summarize(samples: readonly Sample[]): Row[] {
  const ids = [...new Set(samples.map(({ row }) => row))];
  return ids.map((row) => {
    const own = samples.filter((sample) => sample.row === row);
    const tables = [...new Set(own.map(({ table }) => table))].map((table) => {
      return [table, spreadsOf(own.filter((sample) => sample.table === table))] as const;
    });
    return { row, tables: Object.fromEntries(tables) };
  });
}

function spreadsOf(samples: readonly Sample[]): Figures {
  const names = [...new Set(samples.flatMap(({ figures }) => Object.keys(figures)))];
  return Object.fromEntries(
    names.map((name) => [name, spreadOf(samples.flatMap(({ figures }) => figures[name] ?? []))]),
  );
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

/** Below `bench/`. The bench runs compiled: this file is `bench/dist/harness/results.js`. */
export function fileIn(path: string): URL {
  return new URL(path, new URL("../../", import.meta.url));
}

export async function readReport(name: string): Promise<Report> {
  return JSON.parse(await readFile(fileIn(`results/${name}.json`), "utf8")) as Report;
}

export async function writeReport(name: string, report: Report): Promise<void> {
  await writeFile(fileIn(`results/${name}.json`), encodeReport(report));
}

/** JSON in one line. Numbers have nine digits. */
function encodeReport(report: Report): string {
  const round = (_: string, item: unknown) => (typeof item === "number" ? Number(item.toPrecision(9)) : item);
  return `${JSON.stringify(report, round)}\n`;
}
