import type { StoreOnServer } from "../../redis/redis-store.ts";
import type { StoreState } from "../deciding-space.ts";
import type { KnownKeys } from "./known-keys.ts";
import type { LiveKeys } from "./live-keys.ts";
import type { PendingRequests } from "./pending-requests.ts";

/** What the keys of a node share. */
export interface LeaseNode extends StoreState {
  readonly store: StoreOnServer;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** The number of the next lease. */
  readonly nextNumber: () => number;
  readonly live: LiveKeys;
  readonly known: KnownKeys;
  readonly requests: PendingRequests;
  /** The most calls that may wait for one key. */
  readonly mostWaiting: number;
}

/** How a call is decided that no lease covers. */
export type Uncovered = "ask" | "strict" | "denied";
