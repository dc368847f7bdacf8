import type { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk } from "../../redis/script/lease.ts";
import type { LeaseStats } from "../stats.ts";
import type { LeaseNumbers } from "./lease-numbers.ts";
import type { LiveKeys } from "./live-keys.ts";
import type { NodeTime } from "./node-time.ts";
import type { PendingRequests } from "./pending-requests.ts";

/** What the keys of a node share. */
export interface LeaseNode {
  readonly time: NodeTime;
  readonly stats: LeaseStats;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  readonly numbers: LeaseNumbers;
  readonly live: Pick<LiveKeys, "add">;
  readonly requests: PendingRequests;
}

/** Asks the server for one key. `nowUs` is the limiter's time, where the server has none. */
export type AskServer = (
  costs: readonly number[],
  nowUs: number | undefined,
  ask: LeaseAsk,
  waiter: LeaseWaiter,
) => void;

/** How a call is decided that no lease covers. */
export type Uncovered = "ask" | "strict" | "denied";
