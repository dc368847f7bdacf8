import { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk } from "../../redis/script/lease.ts";
import { DRIFT } from "./held.ts";
import { isNews, type KeyHoldings, type Reported } from "./key-holdings.ts";
import type { AskServer, LeaseNode } from "./lease-node.ts";

/** Requests of one key. */
export class KeyRequests {
  readonly #node: LeaseNode;
  readonly #ttlUs: number;
  readonly #held: KeyHoldings;
  readonly #nothing: readonly number[];
  readonly #askServer: AskServer;

  constructor(node: LeaseNode, ttlUs: number, held: KeyHoldings, nothing: readonly number[], askServer: AskServer) {
    this.#node = node;
    this.#ttlUs = ttlUs;
    this.#held = held;
    this.#nothing = nothing;
    this.#askServer = askServer;
  }

  /** Tells the server what has changed, if something has. If that fails, leases end by themselves. */
  tell(reported: Reported): void {
    if (isNews(reported)) this.report(reported, new LeaseWaiter(ignore, ignore));
  }

  /** A request, which takes for calls that wait, and units and places in advance; without `wanted` neither. */
  make(reported: Reported, calls = 0, wanted: readonly number[] = this.#nothing): LeaseAsk {
    const quietUs = Math.max(0, Math.floor((this.#node.time.us() - this.#held.spentUs) * (1 - DRIFT)));
    return { calls, wanted, ttlUs: this.#ttlUs, quietUs, number: this.#node.nextNumber(), ...reported };
  }

  /** Sends a request for calls that cost so much. The waiter may be answered before this returns. */
  send(ask: LeaseAsk, costs: readonly number[], nowUs: number | undefined, waiter: LeaseWaiter): void {
    this.#node.stats.asks += 1;
    this.#askServer(costs, nowUs, ask, waiter);
  }

  /** Sends a request that only reports. */
  report(reported: Reported, waiter: LeaseWaiter): void {
    this.send(this.make(reported), this.#nothing, undefined, waiter);
  }
}

function ignore(): void {}
