import {
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  type OnChange,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { IN_PROCESS } from "./every-store.ts";

const START_MS = 1_790_000_000_123;
const calls = (count: number, seconds = 10) =>
  tokenBucket({ name: "calls", capacity: count, refill: count, per: `${seconds}s` });
const log = (limit: number) => slidingWindow({ name: "calls", limit, window: "10s" });
const quota = (limit: number) => fixedWindow({ name: "calls", limit, window: "10s", anchor: "first-use" });

describe.each(IN_PROCESS)("over %s, when limits change,", (_name, createStore) => {
  let clock: ManualClock;
  let store: ReturnType<typeof createStore>;
  let version: (limits: readonly Limit[], onChange?: OnChange) => Limiter;

  beforeEach(() => {
    clock = manualClock(START_MS);
    store = createStore();
    version = (limits, onChange) =>
      createLimiter({ name: "api", limits, clock, store, ...(onChange === undefined ? {} : { onChange }) });
  });

  it.each<[string, Limit, Limit]>([
    ["fixed windows", quota(10), fixedWindow({ name: "calls", limit: 1_000, window: "1h" })],
    ["sliding windows", log(10), slidingWindow({ name: "calls", limit: 1_000, window: "1h" })],
    ["a fixed and a sliding window", quota(10), slidingWindow({ name: "calls", limit: 1_000, window: "1h" })],
    ["a bucket and a fixed window", calls(10), fixedWindow({ name: "calls", limit: 1_000, window: "1h" })],
  ])("%s of one name and different lengths are enforced each for itself", (_kind, short, long) => {
    const versions = [version([short]), version([long])] as const;
    for (const admittedByLong of [700, 300, 0]) {
      const admitted = [0, 0];
      // The calls alternate.
      for (let i = 0; i < 1_400; i += 1) if (versions[i % 2]?.allow("ann")) admitted[i % 2]! += 1;
      expect(admitted).toEqual([10, admittedByLong]);
      clock.advance(60_000);
    }
    version([short]).consume("ann");
    versions[0].reset("ann");
    expect(versions.map((one) => one.explain("ann")[0]?.used)).toEqual([0, 1_000]);
  });
});
