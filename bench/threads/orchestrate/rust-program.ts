import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { reasonOf } from "../../orchestrate/reason.ts";
import type { Plan } from "../plan.ts";
import type { NativeRow, ThreadCount } from "../row.ts";
import { MANY_KEYS } from "../units.ts";
import { RUST_PROGRAM, RUST_SOURCE } from "./paths.ts";
import type { ThreadOutcome } from "./task.ts";

const run = promisify(execFile);

const COMPILER = ["--edition", "2021", "-O", "-C", "target-cpu=native"];
const CLOCK_WORDS: Record<NativeRow["clock"], string> = { "per call": "per-call", coarse: "coarse" };

/** What such limits take in Rust: compiled when the first row asks for it, where there is a compiler. */
export class RustProgram {
  #compiled: Promise<void> | undefined;

  async run({ program, clock }: NativeRow, threads: ThreadCount, plan: Plan): Promise<ThreadOutcome> {
    try {
      this.#compiled ??= compile();
      await this.#compiled;
    } catch (error) {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      return isMissing
        ? { kind: "skipped", reason: "rustc is not installed" }
        : { kind: "failed", reason: reasonOf(error) };
    }
    const args = [program, CLOCK_WORDS[clock], threads, plan.warmUpMs, plan.windowMs, MANY_KEYS].map(String);
    try {
      return { kind: "measured", perSecond: Number((await run(RUST_PROGRAM, args)).stdout) };
    } catch (error) {
      return { kind: "failed", reason: reasonOf(error) };
    }
  }
}

async function compile(): Promise<void> {
  await mkdir(dirname(RUST_PROGRAM), { recursive: true });
  await run("rustc", [...COMPILER, "-o", RUST_PROGRAM, RUST_SOURCE]);
}
