import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Load } from "../../../../../../../bench/hybrid/loads.ts";
import { freshPrefix } from "../../kit/use-redis.ts";
import type { FleetOrder, FleetResult } from "./fleet-node.ts";
import { sharedNowMs } from "./shared-clock.ts";

const PROGRAM = fileURLToPath(new URL("fleet-node.ts", import.meta.url));
const NODES = 4;
/** Orders have arrived by then. */
const START_MS = 100;
const LIFE_MS = 1_000;

/** Processes of one fleet, which wait for orders. */
export class FleetProcesses {
  readonly #port: number;
  readonly #children: ChildProcess[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** Runs loads on four processes. Their stores stay open: what they hold ends by itself. */
  async run(loads: readonly Load[], forMs: number): Promise<readonly FleetResult[]> {
    await this.#start(NODES);
    const orders = ordersFor(loads, forMs);
    return Promise.all(orders.map((order, i) => ask(this.#children[i]!, order)));
  }

  /** Two processes stay. The others are killed each second, and new ones take their place. */
  async runWithDeaths(loads: readonly Load[], lives: number): Promise<readonly FleetResult[]> {
    await this.#start(2 + 2 * lives);
    const orders = ordersFor(loads, lives * LIFE_MS);
    const mortals = this.#children.splice(2);
    const long = this.#children.map((child, i) => ask(child, orders[i]!));
    const short = mortals.map(async (child, i) => {
      const order = orders[2 + (i % 2)]!;
      const startMs = order.zeroMs + Math.floor(i / 2) * LIFE_MS;
      const result = await ask(child, { ...order, startMs, forMs: LIFE_MS });
      child.kill("SIGKILL");
      return result;
    });
    return Promise.all([...long, ...short]);
  }

  stop(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }

  async #start(count: number): Promise<void> {
    const missing = Array.from({ length: Math.max(0, count - this.#children.length) }, () => {
      const child = fork(PROGRAM, [String(this.#port)], { execArgv: ["--import", "tsx"], stdio: "inherit" });
      this.#children.push(child);
      return messageOf(child);
    });
    await Promise.all(missing);
  }
}

function ordersFor(loads: readonly Load[], forMs: number): readonly FleetOrder[] {
  const prefix = freshPrefix();
  const zeroMs = sharedNowMs() + START_MS;
  return Array.from({ length: NODES }, (_, node) => ({ prefix, loads, node, zeroMs, startMs: zeroMs, forMs }));
}

function ask(child: ChildProcess, order: FleetOrder): Promise<FleetResult> {
  const result = messageOf(child);
  child.send(order);
  return result as Promise<FleetResult>;
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const { signal } = ended;
  const exit = once(child, "exit", { signal }).then(([code]: unknown[]) => {
    throw new Error(`expected a message of the process, got exit code ${String(code)}`);
  });
  try {
    const [message] = (await Promise.race([once(child, "message", { signal }), exit])) as [unknown];
    return message;
  } finally {
    exit.catch(() => {});
    ended.abort();
  }
}
