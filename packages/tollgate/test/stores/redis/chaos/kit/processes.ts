import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("node-of-fleet.ts", import.meta.url));

/** The work of one process of a fleet. */
export interface Orders {
  readonly port: number;
  readonly prefix: string;
  /** The number of clients, each with its own connection. */
  readonly clients: number;
  /** The number of limits, each with this capacity. */
  readonly limits: 1 | 3;
  readonly capacity: number;
  /** The rounds of each client, with so many calls of `allow` and one `consume` in each. */
  readonly rounds: number;
  readonly atOnce: number;
}

/** The counts of one client. */
export interface Tally {
  readonly asked: number;
  readonly admitted: number;
  readonly degraded: number;
}

/** Starts the processes together when all are connected. Returns the tallies of all their clients. */
export async function takeInProcesses(all: readonly Orders[]): Promise<readonly Tally[]> {
  return (await runTogether(PROGRAM, all)).flat() as readonly Tally[];
}

/** Runs a program in a process for each of its orders. They start together when all have sent a message. */
export async function runTogether(program: string, all: readonly unknown[]): Promise<readonly unknown[]> {
  const children = all.map((orders) =>
    fork(program, [JSON.stringify(orders)], { execArgv: ["--import", "tsx"], stdio: "inherit" }),
  );
  try {
    await Promise.all(children.map(messageOf));
    const tallies = children.map(messageOf);
    for (const child of children) child.send("go");
    return await Promise.all(tallies);
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]: unknown[]) => {
    throw new Error(`expected a message of the process, got exit code ${String(code)}`);
  });
  const [message] = (await Promise.race([once(child, "message"), ended])) as [unknown];
  return message;
}
