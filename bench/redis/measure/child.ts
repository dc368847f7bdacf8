import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { FLAGS } from "../../http/measure/server-process.ts";
import { CHILD } from "../paths.ts";
import type { Variant } from "../variant.ts";
import type { Plan } from "./plan.ts";
import type { Measured } from "./sample.ts";

const TIMEOUT_MS = 60_000;

/** Checks a variant in a process of its own, and says how many bytes a key takes. */
export function checkInChild({ id }: Variant, port: number): Promise<number> {
  return runChild([id, String(port)]);
}

/** Measures a variant in a process of its own. */
export function measureInChild({ id }: Variant, port: number, plan: Plan): Promise<Measured[]> {
  return runChild([id, String(port), JSON.stringify(plan)]);
}

async function runChild<T>(args: readonly string[]): Promise<T> {
  const all = [...FLAGS, CHILD, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all, { timeout: TIMEOUT_MS });
  return JSON.parse(stdout) as T;
}
