import { tokenBucket } from "tollgate";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { NOW_MS, ONE_CELL } from "./scenario-keys.ts";

const common = { ...COMMON, keys: ["ann"], deaths: "none", limits: ONE_CELL } as const;
const blockFor = { durations: [50, 500], forgetAfter: 1_000 } as const;

/** The first block is over, and its offence is not forgotten. */
const AFTER_MS = NOW_MS + 60;

/**
 * One thread blocks a key on which another calls. A call that is under way meanwhile may still be admitted, and count
 * after the block has begun. So these calls do not look at counts.
 */
export const BLOCKED_KEYS: readonly Scenario[] = [
  {
    ...common,
    name: "a thread blocks a key on which another calls",
    programs: [
      callsAt(NOW_MS, ["allow", "ann"], ["allow", "ann"]),
      callsAt(NOW_MS, ["block", "ann", 100], ["allow", "ann"]),
    ],
  },
  {
    ...common,
    name: "a thread ends a block under which another calls",
    before: callsAt(NOW_MS, ["block", "ann", 100]),
    programs: [callsAt(NOW_MS, ["allow", "ann"]), callsAt(NOW_MS, ["unblock", "ann"], ["allow", "ann"])],
  },
  {
    ...common,
    name: "two threads block one key, and one of them ends the block",
    before: callsAt(NOW_MS, ["block", "ann", 300]),
    programs: [callsAt(NOW_MS, ["block", "ann", 100], ["unblock", "ann"]), callsAt(NOW_MS, ["block", "ann", 200])],
  },
  {
    ...common,
    name: "two threads exhaust a limit that blocks, for the second time",
    limits: [tokenBucket({ capacity: 1, refill: 1, per: "1h", blockFor })],
    before: callsAt(NOW_MS, ["allow", "ann"], ["allow", "ann"]),
    lookAtMs: [AFTER_MS],
    programs: [callsAt(AFTER_MS, ["consume", "ann"]), callsAt(AFTER_MS, ["consume", "ann"])],
  },
];

/** Both threads insert the blocked key. There are too many interleavings to explore all. */
export const NEW_BLOCKED_KEYS: readonly Scenario[] = [
  {
    ...common,
    name: "two threads block a new key and end its block",
    programs: [
      callsAt(NOW_MS, ["block", "ann", 100], ["unblock", "ann"]),
      callsAt(NOW_MS, ["block", "ann", 200], ["unblock", "ann"]),
    ],
  },
  {
    ...common,
    name: "two threads exhaust a limit that blocks",
    limits: [tokenBucket({ capacity: 1, refill: 1, per: "1h", blockFor })],
    before: callsAt(NOW_MS, ["allow", "ann"]),
    lookAtMs: [NOW_MS],
    programs: [callsAt(NOW_MS, ["consume", "ann"], ["unblock", "ann"]), callsAt(NOW_MS, ["consume", "ann"])],
  },
];
