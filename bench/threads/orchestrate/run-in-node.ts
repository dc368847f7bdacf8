import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { reasonOf } from "../../orchestrate/reason.ts";
import type { Plan } from "../plan.ts";
import type { NodeRow, ThreadCount } from "../row.ts";
import { THREADS_CHILD } from "./paths.ts";
import type { ThreadOutcome } from "./task.ts";

const TIMEOUT_MS = 60_000;

export async function runInNode({ id }: NodeRow, threads: ThreadCount, plan: Plan): Promise<ThreadOutcome> {
  const args = [THREADS_CHILD, id, String(threads), JSON.stringify(plan)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS });
    return { kind: "measured", perSecond: Number(stdout) };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}
