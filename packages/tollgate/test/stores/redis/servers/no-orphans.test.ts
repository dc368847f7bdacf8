import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventuallyTrue } from "./eventually.ts";

const PROGRAM = fileURLToPath(new URL("left-behind.ts", import.meta.url));

interface Left {
  readonly pid: number;
  readonly folder: string;
}

/** Starts the program, and returns the servers that it started. */
async function startProgram(): Promise<[ChildProcessWithoutNullStreams, readonly Left[]]> {
  const program = spawn(process.execPath, ["--import", "tsx", PROGRAM], {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
  }) as ChildProcessWithoutNullStreams;
  onTestFinished(() => void program.kill("SIGKILL"));
  const [line] = (await once(program.stdout, "data")) as [Buffer];
  return [program, JSON.parse(String(line)) as readonly Left[]];
}

function isThere({ pid, folder }: Left): boolean {
  if (existsSync(folder)) return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("servers that no test stopped", () => {
  it("servers and their folders are gone soon after their test process was killed", async () => {
    const [program, left] = await startProgram();
    expect(left).toHaveLength(4);
    for (const server of left) expect(isThere(server)).toBe(true);
    program.kill("SIGKILL");
    await eventuallyTrue("the end of the servers", () => !left.some(isThere), { patienceMs: 2_000 });
  });

  it("servers are gone soon after vitest was killed, even if its worker lives on", async () => {
    const [program, left] = await startProgram();
    // The worker sees a closed channel.
    program.disconnect();
    await eventuallyTrue("the end of the servers", () => !left.some(isThere), { patienceMs: 2_000 });
    expect(program.exitCode).toBeNull();
  });

  it.each(["exit", "throw"])("servers are gone soon after their test process ended: %s", async (word) => {
    const [program, left] = await startProgram();
    program.stdin.write(word);
    await once(program, "exit");
    await eventuallyTrue("the end of the servers", () => !left.some(isThere), { patienceMs: 2_000 });
  });
});
