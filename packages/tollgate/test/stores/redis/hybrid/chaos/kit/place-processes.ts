import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { freshPrefix } from "../../../kit/use-redis.ts";
import { sharedNowMs } from "../../fleet/shared-clock.ts";
import { PlacesInUse, type PlaceUse } from "../../simulation/places-in-use.ts";
import type { PlaceNews, PlaceOrders, PlacesDone } from "./place-node.ts";

const PROGRAM = fileURLToPath(new URL("place-node.ts", import.meta.url));

interface PlaceProcess {
  readonly child: ChildProcess;
  /** The uses of its calls, by their numbers. */
  readonly uses: Map<number, PlaceUse>;
  readonly done: Promise<PlacesDone>;
}

/** Processes that hold places of one limit in one Redis, and end with the test. */
export class PlaceProcesses {
  readonly #orders: PlaceOrders;
  readonly #inUse: PlacesInUse;
  readonly #processes: PlaceProcess[] = [];
  #most = 0;

  private constructor(orders: PlaceOrders) {
    this.#orders = orders;
    this.#inUse = new PlacesInUse(orders.max);
  }

  static async start(count: number, options: Omit<PlaceOrders, "prefix">): Promise<PlaceProcesses> {
    const fleet = new PlaceProcesses({ ...options, prefix: freshPrefix() });
    await Promise.all(Array.from({ length: count }, () => fleet.#start()));
    for (const { child } of fleet.#processes) child.send("begin");
    return fleet;
  }

  /** How many places calls hold now, as far as their processes have said. */
  get inUse(): number {
    const nowUs = sharedNowMs() * 1_000;
    const open = this.#processes.flatMap(({ uses }) => [...uses.values()].filter(({ untilUs }) => untilUs > nowUs));
    return open.length;
  }

  /** The most that there were at a time, of all times at which this was asked. */
  get most(): number {
    this.#most = Math.max(this.#most, this.inUse);
    return this.#most;
  }

  /** The server has lost its data. */
  lose(): void {
    this.#inUse.lose(sharedNowMs() * 1_000);
  }

  /** The first process is killed. Its calls hold their places until these expire. */
  async killOne(): Promise<void> {
    const { child } = this.#processes.shift()!;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Ends the load. @returns what the processes that are left say. */
  async end(): Promise<readonly PlacesDone[]> {
    for (const { child } of this.#processes) child.send("end");
    return Promise.all(this.#processes.map(({ done }) => done));
  }

  /** The first moment at which more places were in use than there are, in words; `undefined` without one. */
  get excess(): string | undefined {
    return this.#inUse.excess;
  }

  async #start(): Promise<void> {
    const args = [JSON.stringify(this.#orders)];
    const child = fork(PROGRAM, args, { execArgv: ["--import", "tsx"], stdio: "inherit" });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const uses = new Map<number, PlaceUse>();
    await once(child, "message");
    const done = new Promise<PlacesDone>((resolve) => {
      child.on("message", (news: PlaceNews | PlacesDone) => {
        if ("asks" in news) resolve(news);
        else this.#note(uses, news);
      });
    });
    this.#processes.push({ child, uses, done });
  }

  #note(uses: Map<number, PlaceUse>, { call, fromMs, untilMs }: PlaceNews): void {
    const known = uses.get(call);
    if (known === undefined) {
      const use = { fromUs: fromMs * 1_000, untilUs: (fromMs + this.#orders.ttlMs) * 1_000, places: 1 };
      uses.set(call, use);
      this.#inUse.add(use);
    } else if (untilMs !== undefined) {
      known.untilUs = untilMs * 1_000;
    }
  }
}
