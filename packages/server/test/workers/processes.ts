import { readFileSync } from "node:fs";
import type { CommandProcess } from "../support/command-process.ts";

/** The processes that a process has started, and that are alive. */
export function childrenOf({ child: { pid } }: CommandProcess): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    // A process that has ended, and that its parent has not noticed, is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
