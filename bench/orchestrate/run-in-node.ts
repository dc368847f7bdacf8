import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { NodeEntry } from "../contenders/entry.ts";
import type { Measurements } from "../measure/measurements.ts";
import type { Job } from "../workloads/job.ts";
import { CHILD } from "./paths.ts";
import { reasonOf } from "./reason.ts";
import type { Outcome } from "./task.ts";

const TIMEOUT_MS = 180_000;

export async function runInNode(entry: NodeEntry, job: Job): Promise<Outcome> {
  const args = ["--expose-gc", CHILD, entry.id, JSON.stringify(job)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS });
    return { kind: "measured", measurements: JSON.parse(stdout) as Measurements };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}
