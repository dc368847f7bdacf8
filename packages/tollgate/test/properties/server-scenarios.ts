import fc from "fast-check";
import {
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  largeSlidingWindowSpec,
  limitSpec,
  tokenBucketSpec,
} from "./limit-arbitrary.ts";
import type { scenario } from "./scenario-arbitrary.ts";

/** What scenarios of stores of this process have, while the clock goes forward: servers forget idle keys. */
export const KINDS: Readonly<Record<string, Parameters<typeof scenario>[0]>> = {
  "limiters alone and combined": { clock: "forward" },
  "one limiter of limits of all kinds": { clock: "forward", mostLimiters: 1 },
  "token buckets and debts": {
    limits: tokenBucketSpec,
    ...{ mostLimits: 2, mostLimiters: 1, clock: "forward", costs: "huge" },
    verbs: ["charge", "charge", "consume", "allow", "refund", "explain"],
  },
  "sliding windows whose ring is full": {
    limits: denseSlidingWindowSpec,
    ...{ mostLimits: 1, mostLimiters: 1, clock: "crowded forward", costs: "modest" },
    verbs: ["charge", "charge", "charge", "consume", "refund", "explain"],
  },
  "sliding windows of large limits": {
    // Their units of a few windows exceed the exact integers.
    limits: largeSlidingWindowSpec.filter(({ windowUs }) => windowUs > 10),
    ...{ mostLimits: 1, mostLimiters: 1, mostKeys: 1, mostSteps: 120, clock: "crowded forward", costs: "modest" },
    verbs: ["consume", "consume", "consume", "allow", "refund", "explain"],
  },
  "identical calls of a batch": {
    limits: fc.oneof(denseFixedWindowSpec, denseSlidingWindowSpec),
    ...{ mostLimiters: 1, mostKeys: 1, clock: "forward", costs: "modest" },
    verbs: ["allow", "allow", "allow", "allow", "refund", "explain"],
  },
  "limits chosen per call": { limits: limitSpec, clock: "forward" },
};
