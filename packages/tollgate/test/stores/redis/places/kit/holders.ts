import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("holder-of-fleet.ts", import.meta.url));

/** The work of one process that holds places. */
export interface HolderOrders {
  readonly port: number;
  readonly prefix: string;
  readonly max: number;
  readonly ttlMs: number;
  /** How many places it tries to hold at a time. */
  readonly lanes: number;
}

/** Runs so many processes, and kills one after another in the middle of its work. */
export async function holdAndDie(
  orders: HolderOrders,
  { processes, deaths, died }: { processes: number; deaths: number; died: (pid: number) => Promise<void> },
): Promise<void> {
  const running = await Promise.all(Array.from({ length: processes }, () => start(orders)));
  try {
    for (let death = 0; death < deaths; death += 1) {
      await sleep(100 + Math.random() * 200);
      const [child] = running.splice(0, 1);
      const ended = once(child!, "exit");
      child!.kill("SIGKILL");
      await ended;
      await died(child!.pid!);
      running.push(await start(orders));
    }
  } finally {
    for (const child of running) child.kill("SIGKILL");
  }
}

async function start(orders: HolderOrders): Promise<ChildProcess> {
  const child = fork(PROGRAM, [JSON.stringify(orders)], { execArgv: ["--import", "tsx"], stdio: "inherit" });
  const ended = once(child, "exit").then(([code]: unknown[]) => {
    throw new Error(`expected a message of the process, got exit code ${String(code)}`);
  });
  await Promise.race([once(child, "message"), ended]);
  ended.catch(() => {});
  return child;
}
