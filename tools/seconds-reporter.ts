import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reporter, TestModule, Vitest } from "vitest/node";

const RECORD = fileURLToPath(new URL("test-seconds.json", import.meta.url));
/** Quicker files end a run evenly in any order. */
const LEAST_SECONDS = 1;

/** Names the files that took too long. With TOLLGATE_RECORD=yes it also records how long the files of the run took. */
export class SecondsReporter implements Reporter {
  readonly #most: number;
  #vitest: Vitest | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = modules.map((module): [string, number] => [module.relativeModuleId, secondsOf(module)]);
    for (const [file, seconds] of times) {
      if (seconds > this.#most) this.#vitest?.logger.log(`${file} took ${seconds} s: more than ${this.#most} s`);
    }
    if (process.env["TOLLGATE_RECORD"] === "yes") record(times);
  }
}

/** From the start of its imports to the end of its tests. */
function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return Math.round((collectDuration + setupDuration + duration) / 100) / 10;
}

/** Files of the other tier keep their records, files that are gone lose them. */
function record(times: readonly (readonly [string, number])[]): void {
  const before = JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, number>;
  const all = Object.entries({ ...before, ...Object.fromEntries(times) });
  const kept = all
    .filter(([file, seconds]) => seconds >= LEAST_SECONDS && existsSync(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}
