import type { LeaseWaiter } from "../../redis/batch/waiter.ts";
import type { LeaseAsk } from "../../redis/script/lease.ts";
import type { LeaseStats } from "../stats.ts";
import type { TendedKey } from "./live-keys.ts";
import type { NodeTime } from "./node-time.ts";
import type { PlaceHolders } from "./place-holders.ts";

/** What the keys of a node share. */
export interface LeaseNode {
  readonly time: NodeTime;
  readonly stats: LeaseStats;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** The number of the next lease, which no other lease has. */
  readonly nextNumber: () => number;
  /** What gave places to calls of this node. */
  readonly holders: PlaceHolders;
  /** The key has leases, so `tend` has to be called from time to time. */
  readonly noteLive: (key: TendedKey) => void;
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
