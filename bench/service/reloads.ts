import { setTimeout as sleep } from "node:timers/promises";
import { runChild } from "../harness/child-process.ts";
import { medianColumn, rangeColumn, textColumn } from "../harness/page.ts";
import { target } from "../harness/targets.ts";
import { withFolder, yamlOfRules } from "./limits-files.ts";
import type { Plan } from "./measure.ts";
import { OperatedService } from "./operated-service.ts";
import type { Part } from "./part.ts";
import type { SteadyFigures, SteadyLoad } from "./steady-load.ts";

const ROWS = {
  quiet: "no change",
  file: "the file, again and again",
  put: "`PUT /v1/limits`, again and again",
} as const;
type Row = keyof typeof ROWS;

const RULES = 10_000;
const RATES = ["9000000/1s", "8000000/1s"] as const;
const CHECKS_PER_SECOND = 300;
const CALLS_PER_SECOND = 100;
/** Between the end of one change and the next. */
const PAUSE_MS = 500;
/** The process of the load needs it before it counts requests. */
const WARM_UP_MS = 1_500;
/** A change does not begin so shortly before the stream ends. */
const LAST_CHANGE_MS = 2_500;

type ReloadFigures = SteadyFigures & { readonly changes: number; readonly longestBlockMs: number };

const milliseconds = (value: number): string => value.toFixed(1);
const count = (value: number): string => value.toFixed(0);

/** Limits that change while a stream of requests is served. */
export const RELOADS: Part = {
  tables: [
    {
      id: "reload",
      title: "A steady stream while 10,000 rules change",
      rows: Object.keys(ROWS),
      columns: [
        textColumn("changes", (row) => ROWS[row as Row]),
        medianColumn("changes", "changes", count),
        medianColumn("requests", "requests", (value) => value.toLocaleString("en")),
        medianColumn("p50 ms", "p50Ms", milliseconds),
        medianColumn("p99.9 ms", "p999Ms", milliseconds),
        medianColumn("worst ms", "worstMs", milliseconds),
        rangeColumn("worstMs", milliseconds),
        medianColumn("above 50 ms", "above50Ms", count),
        medianColumn("longest block ms", "longestBlockMs", milliseconds),
      ],
    },
  ],
  targets: [
    target("the worst latency while a file of 10,000 rules is read again", "≤ 50 ms", "reload / file / worstMs"),
    target("the worst latency while 10,000 rules are put", "≤ 50 ms", "reload / put / worstMs"),
  ],
  tasks: (plan) => [
    {
      name: "reload",
      group: "reload",
      measure: async () => {
        const measured = await withFolder((folder) => measureReloads(folder, plan));
        return Object.entries(measured).map(([row, figures]) => ({ table: "reload", row, figures }));
      },
    },
  ],
};

/** All rows with one process, so that they differ by the changes alone. */
async function measureReloads(folder: string, { streamSeconds }: Plan): Promise<Record<Row, ReloadFigures>> {
  const texts = RATES.map((rate) => yamlOfRules(RULES, rate));
  const service = await OperatedService.start(folder, texts[0]!);
  let turns = 0;
  const next = (): string => {
    turns += 1;
    // A file with the text that it has is no change.
    return `${texts[turns % texts.length]!}# ${turns}\n`;
  };
  const changeFile = (): Promise<void> => service.changeFile(next());
  const put = (): Promise<void> => service.put(next());
  try {
    // The service becomes fast before it is measured, its reloads too.
    await stream(service, LAST_CHANGE_MS / 1_000, undefined);
    await changeFile();
    await put();
    const quiet = await stream(service, streamSeconds, undefined);
    const file = await stream(service, streamSeconds, changeFile);
    return { quiet, file, put: await stream(service, streamSeconds, put) };
  } finally {
    await service.stop();
  }
}

/** A stream of requests, and one change after the other meanwhile. */
async function stream(
  service: OperatedService,
  seconds: number,
  change: (() => Promise<void>) | undefined,
): Promise<ReloadFigures> {
  const { port, grpcPort } = service;
  const rates = { checksPerSecond: CHECKS_PER_SECOND, callsPerSecond: CALLS_PER_SECOND };
  const load: SteadyLoad = { port, grpcPort, ...rates, seconds, rules: RULES };
  await service.longestBlockMs();
  const loaded = runChild<SteadyFigures>("steady load", load, { flags: [], timeoutMs: 120_000 });
  const endMs = performance.now() + WARM_UP_MS + seconds * 1_000;
  const changes = change === undefined ? 0 : await changeUntil(endMs - LAST_CHANGE_MS, change);
  const figures = await loaded;
  return { ...figures, changes, longestBlockMs: await service.longestBlockMs() };
}

/** @returns how often. */
async function changeUntil(lastMs: number, change: () => Promise<void>): Promise<number> {
  // The process of the load starts, and warms up.
  await sleep(WARM_UP_MS);
  let changes = 0;
  for (; performance.now() < lastMs; changes += 1) {
    await change();
    await sleep(PAUSE_MS);
  }
  return changes;
}
