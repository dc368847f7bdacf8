import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { STEADY_HEAP } from "./child-process.ts";

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  /** The processor time of all its threads until now. */
  cpuUs(): Promise<number>;
  /** Its memory in use, as the kernel counts it. */
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Servers print their URL first. @throws Error when the process ends before. */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const env = { ...process.env, NODE_ENV: "production" };
  const child = spawn(process.execPath, [STEADY_HEAP, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  const port = await portSaidBy(child);
  const stop = async () => {
    const ended = once(child, "exit");
    if (child.kill("SIGKILL")) await ended;
  };
  return { port, cpuUs: () => cpuUsOf(child.pid!), residentBytes: () => residentBytesOf(child.pid!), stop };
}

async function portSaidBy(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("the server ended before it was ready");
}

/** The kernel counts in hundredths of a second, wherever it runs. */
const TICK_US = 10_000;

/** From the fields 14 and 15 of `/proc/PID/stat`, behind the name of the program, which may have spaces. */
async function cpuUsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
