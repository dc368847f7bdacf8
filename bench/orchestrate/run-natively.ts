import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { NativeEntry } from "../contenders/entry.ts";
import type { Job, TableId } from "../workloads/job.ts";
import { FLOOR_PROGRAM, FLOOR_SOURCE } from "./paths.ts";
import { reasonOf } from "./reason.ts";
import type { Outcome } from "./task.ts";

const run = promisify(execFile);

/** Its passes in the orders that the C program knows, in a process each. */
export async function runNatively({ clock, form }: NativeEntry, job: Job): Promise<Outcome> {
  const ns: Partial<Record<TableId, number>> = {};
  try {
    await compile();
    for (const { table, order } of job.passes) {
      if (order === "zipf") continue;
      const args = [job.keys, job.warmUp, job.chunks, clock, form, order].map(String);
      ns[table] = Number((await run(FLOOR_PROGRAM, args)).stdout);
    }
    return { kind: "measured", measurements: { ns } };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing
      ? { kind: "skipped", reason: "gcc is not installed" }
      : { kind: "failed", reason: reasonOf(error) };
  }
}

async function compile(): Promise<void> {
  await mkdir(dirname(FLOOR_PROGRAM), { recursive: true });
  await run("gcc", ["-std=c11", "-O2", "-Wall", "-Wextra", "-o", FLOOR_PROGRAM, FLOOR_SOURCE]);
}
