import { createLimits, type LimitsFile, parseLimits } from "tollgate/config";
import * as yaml from "yaml";
import { stringify } from "yaml";
import { type Figures, spreadOf } from "../harness/figures.ts";

/** A file with so many rules that differ in their paths. */
export function limitsFileOf(rules: number): LimitsFile {
  const limits = Array.from({ length: rules }, (_, i) => [
    `r${i}`,
    { match: { path: `/v1/x${i}/**` }, by: "ip", rate: "9000000/1s" },
  ]);
  return { version: 1, domains: { api: { limits: Object.fromEntries(limits) as never } } };
}

const RULES = 10_000;
const TIMES = 5;

export const LOADING = {
  yaml: "`parseLimits` of YAML",
  json: "`parseLimits` of JSON",
  create: "`createLimits`",
  blocked: "`updateInSteps`, the longest turn",
} as const;

/** Milliseconds, the medians of some times in this process. */
export async function measureLoading(): Promise<Record<keyof typeof LOADING, Figures>> {
  const file = limitsFileOf(RULES);
  const texts = { yaml: stringify(file), json: JSON.stringify(file, undefined, 2) };
  const parsed = parseLimits(texts.json);
  const limits = createLimits(limitsFileOf(10));
  return {
    yaml: await medianMs(() => parseLimits(texts.yaml, { yaml })),
    json: await medianMs(() => parseLimits(texts.json)),
    create: await medianMs(() => createLimits(parsed)),
    blocked: { ms: spreadOf(await times(() => longestTurnMs(limits.updateInSteps(parsed)))).median },
  };
}

async function medianMs(work: () => unknown): Promise<Figures> {
  const measure = async () => {
    const startMs = performance.now();
    work();
    return performance.now() - startMs;
  };
  return { ms: spreadOf(await times(measure)).median };
}

async function times(measure: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let left = TIMES; left > 0; left -= 1) all.push(await measure());
  return all;
}

/** The longest time for which the event loop did not go round until the work was over. */
async function longestTurnMs(working: Promise<unknown>): Promise<number> {
  const work = { isOver: false };
  void working.finally(() => {
    work.isOver = true;
  });
  let longestMs = 0;
  for (let sinceMs = performance.now(); !work.isOver; sinceMs = performance.now()) {
    await new Promise(setImmediate);
    longestMs = Math.max(longestMs, performance.now() - sinceMs);
  }
  return longestMs;
}
