import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("node-of-fleet.ts", import.meta.url));

/** What each process of a fleet does. */
export interface Orders {
  readonly port: number;
  readonly prefix: string;
  /** Each with a connection of its own. */
  readonly clients: number;
  /** How many limits, each of that capacity. */
  readonly limits: 1 | 3;
  readonly capacity: number;
  /** So many times each client asks, for so many at once and one more. */
  readonly rounds: number;
  readonly atOnce: number;
}

/** Of one client. */
export interface Tally {
  readonly asked: number;
  readonly admitted: number;
  readonly degraded: number;
}

/** Lets processes begin when all are connected; gives the tallies of all their clients. */
export async function takeInProcesses(all: readonly Orders[]): Promise<readonly Tally[]> {
  const children = all.map((orders) =>
    fork(PROGRAM, [JSON.stringify(orders)], { execArgv: ["--import", "tsx"], stdio: "inherit" }),
  );
  try {
    await Promise.all(children.map(messageOf));
    const tallies = children.map(messageOf);
    for (const child of children) child.send("go");
    return (await Promise.all(tallies)).flat() as readonly Tally[];
  } finally {
    for (const child of children) child.kill("SIGKILL");
  }
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]: unknown[]) => {
    throw new Error(`expected a message of the process, it ended with ${String(code)}`);
  });
  const [message] = (await Promise.race([once(child, "message"), ended])) as [unknown];
  return message;
}
