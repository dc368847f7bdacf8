import { createLimiter, type Limit, type Limiter, perMinute, tokenBucket } from "tollgate";
import type { HttpFacts, Outcome } from "tollgate/node";
import { type ManualClock, manualClock } from "tollgate/testing";
import { START_MS } from "../../start-ms.ts";
import type { SuiteOptions } from "./harness.ts";

/** Starts a server and returns its URL. The suite closes the server afterwards. */
export type Start = (options: SuiteOptions) => Promise<string>;

export interface SuiteCase {
  readonly name: string;
  readonly run: (start: Start) => Promise<void>;
}

export interface ManualLimiter {
  readonly clock: ManualClock;
  readonly limiter: Limiter<HttpFacts>;
}

/** A limiter by address under a clock that stands still. */
export function manualLimiter(limits: readonly Limit[]): ManualLimiter {
  const clock = manualClock(START_MS);
  return { clock, limiter: createLimiter({ key: perAddress, limits: [...limits], clock }) };
}

/** A token bucket of a capacity that refills one unit a second. */
export function bucketOf(capacity: number): Limit {
  return tokenBucket({ name: "bucket", capacity, refill: 1, per: "1s" });
}

export const AMPLE: Limit = perMinute(1_000_000, { name: "ample" });

export function perAddress(facts: HttpFacts): string {
  return facts.remoteAddress ?? "unknown";
}

/** The client on this machine. */
export const HERE = { remoteAddress: "127.0.0.1" } as HttpFacts;

/** Units left for the client on this machine. */
export function left(limiter: Limiter<HttpFacts>): number {
  return limiter.peek(HERE, 0).remaining!;
}

/** A `chargeAfter` that notes how responses ended, and what they cost. */
export function recorder(costOf: (outcome: Outcome) => number = () => 1) {
  const outcomes: Outcome[] = [];
  const chargeAfter = (_request: unknown, outcome: Outcome): number => {
    outcomes.push(outcome);
    return costOf(outcome);
  };
  return { outcomes, chargeAfter };
}

/** Handlers of `/login` that answer when they are told, and a `skip` of all other paths. */
export function slowHandlers() {
  const answers: ((status: number) => void)[] = [];
  return {
    answers,
    login: () => new Promise<number>((resolve) => answers.push(resolve)),
    skip: ({ path }: HttpFacts) => path !== "/login",
  };
}
