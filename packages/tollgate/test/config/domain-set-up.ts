import { type AsyncLimiter, createLimiter, perDay } from "tollgate";
import { createLimits, type Facts, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { type ManualClock, manualClock } from "tollgate/testing";
import type { EVERY_STORE } from "../limiter/every-store.ts";

const START_MS: number = Date.UTC(2026, 0, 15, 12);
export const ANN = { ip: "192.0.2.1", path: "/", header: { "x-api-key": "k-1" } } satisfies Facts;
export const LOGIN = { ...ANN, method: "POST", path: "/login" } satisfies Facts;

export const TWO_RULES = {
  client: { by: "ip", quota: "10/1d" },
  login: { match: { method: "POST", path: "/login" }, by: "ip", quota: "2/1d" },
} satisfies Record<string, RuleWords>;

export const PLACE = { max: 1, ttl: "30s" } as const;

/** A file of one domain, `api`. */
export function fileOf(limits: Readonly<Record<string, RuleWords>>): LimitsFile {
  return { version: 1, domains: { api: { limits } } };
}

interface Domain {
  readonly limits: Limits<"async">;
  /** Both kinds are awaited. */
  readonly limiter: AsyncLimiter<Facts>;
  readonly clock: ManualClock;
  /** Another limiter over the same store. */
  readonly other: (name: string, count: number, unit?: string) => AsyncLimiter<Facts>;
}

/** The limiter of a domain with these rules. */
export function setUp(storeOf: (typeof EVERY_STORE)[number][1], rules: Readonly<Record<string, RuleWords>>): Domain {
  const clock = manualClock(START_MS);
  const store = storeOf();
  const limits = createLimits(fileOf(rules), { store, clock }) as unknown as Limits<"async">;
  const other = (name: string, count: number, unit = "requests") =>
    createLimiter({
      name,
      key: ({ ip }: Facts) => ip ?? "",
      limits: [perDay(count, { name, unit })],
      store,
      clock,
    }) as unknown as AsyncLimiter<Facts>;
  return { limits, limiter: limits.limiter("api"), clock, other };
}
