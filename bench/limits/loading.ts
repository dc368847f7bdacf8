import { createLimits, type LimitsFile, parseLimits, trustLimitsFile } from "tollgate/config";
import * as yaml from "yaml";
import type { Measured } from "../harness/rounds.ts";
import { fileOf } from "./matching.ts";

/** What happens to a file of 10,000 rules. */
export const LOADING_ROWS = {
  yaml: "`parseLimits` of YAML",
  json: "`parseLimits` of JSON",
  create: "`createLimits` of what `parseLimits` returned",
  copy: "`update` with a copy from another thread, which is checked again",
  trusted: "`update` with such a copy, and `trustLimitsFile`",
  steps: "the longest step of `updateInSteps`, with what `parseLimits` returned",
  update: "`update` with what `parseLimits` returned: every rule has changed",
} as const;

export type LoadingRow = keyof typeof LOADING_ROWS;

export interface LoadingOrder {
  readonly row: LoadingRow;
}

const RULES = 10_000;
const TIMES = 7;

/** Milliseconds that the event loop is blocked: the median of several times. */
export async function measureLoading({ row }: LoadingOrder): Promise<Measured[]> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const work = WORK[row](withOtherNumbers(fileOf(RULES), time));
    const startMs = performance.now();
    const longestMs = await work();
    times.push(longestMs ?? performance.now() - startMs);
  }
  times.sort((one, other) => one - other);
  return [{ table: "loading", row, figures: { ms: times[Math.floor(TIMES / 2)]! } }];
}

function withOtherNumbers(file: LimitsFile, time: number): LimitsFile {
  const text = JSON.stringify(file).replaceAll("9000000/1s", `${8_000_000 + time}/1s`);
  return JSON.parse(text) as LimitsFile;
}

/** Runs work that lets other work in between, and returns the longest pause of that. */
async function longestPauseOf(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let lastMs = performance.now();
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  };
  let isOver = false;
  const again = () => {
    look();
    if (!isOver) setImmediate(again);
  };
  setImmediate(again);
  await work();
  look();
  isOver = true;
  return longestMs;
}

/** What is measured: work that blocks, or milliseconds that it measured itself. */
type Work = () => undefined | Promise<number>;

function blocking(work: () => unknown): Work {
  return () => {
    work();
    return;
  };
}

/** Prepares the work, and returns the part that is measured. */
const WORK: Readonly<Record<LoadingRow, (file: LimitsFile) => Work>> = {
  yaml: (file) => {
    const text = yaml.stringify(file);
    return blocking(() => parseLimits(text, { yaml }));
  },
  json: (file) => {
    const text = JSON.stringify(file);
    return blocking(() => parseLimits(text));
  },
  create: (file) => {
    const parsed = parseLimits(JSON.stringify(file));
    return blocking(() => createLimits(parsed).close());
  },
  copy: (file) => {
    const limits = createLimits(fileOf(RULES));
    return blocking(() => limits.update(file));
  },
  trusted: (file) => {
    const limits = createLimits(fileOf(RULES));
    const copy = structuredClone(parseLimits(JSON.stringify(file)));
    return blocking(() => limits.update(trustLimitsFile(copy)));
  },
  steps: (file) => {
    const limits = createLimits(fileOf(RULES));
    const parsed = parseLimits(JSON.stringify(file));
    return () => longestPauseOf(() => limits.updateInSteps(parsed));
  },
  update: (file) => {
    const limits = createLimits(fileOf(RULES));
    const parsed = parseLimits(JSON.stringify(file));
    return blocking(() => limits.update(parsed));
  },
};
