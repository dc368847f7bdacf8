import { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk, LeaseReport } from "../../redis/script/lease.ts";
import type { HeldLeases } from "./held-leases.ts";
import type { AskServer, LeaseNode } from "./lease-node.ts";
import { DRIFT } from "./node-time.ts";

/** Requests of one key. */
export class KeyRequests {
  readonly #node: LeaseNode;
  readonly #ttlUs: number;
  readonly #held: HeldLeases;
  readonly #nothing: readonly number[];
  readonly #askServer: AskServer;

  constructor(node: LeaseNode, ttlUs: number, held: HeldLeases, nothing: readonly number[], askServer: AskServer) {
    this.#node = node;
    this.#ttlUs = ttlUs;
    this.#held = held;
    this.#nothing = nothing;
    this.#askServer = askServer;
  }

  /** Tells the server about leases, if there are any. If that fails, the leases end by themselves. */
  tell(reports: readonly LeaseReport[]): void {
    if (reports.length === 0) return;
    this.send(this.make(reports, 0, this.#nothing), this.#nothing, undefined, new LeaseWaiter(ignore, ignore));
  }

  /** A request, which takes for calls that wait, and units in advance. */
  make(reports: readonly LeaseReport[], calls: number, wanted: readonly number[]): LeaseAsk {
    const quietUs = Math.max(0, Math.floor((this.#node.time.us() - this.#held.spentUs) * (1 - DRIFT)));
    return { calls, wanted, ttlUs: this.#ttlUs, quietUs, number: this.#node.numbers.next(), reports };
  }

  /** Sends a request for calls that cost so much. The waiter may be answered before this returns. */
  send(ask: LeaseAsk, costs: readonly number[], nowUs: number | undefined, waiter: LeaseWaiter): void {
    this.#node.stats.asks += 1;
    this.#askServer(costs, nowUs, ask, waiter);
  }
}

function ignore(): void {}
