import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export interface Run {
  /** `null` if a signal ended the program. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function run(program: string, args: readonly string[], options: SpawnOptions): Promise<Run> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close") as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status, stdout, stderr };
}

/** Runs a script to its end, with the Node that runs this test. */
export function runNode(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Run> {
  return run(process.execPath, args, { cwd, env });
}
