import { fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";

/** The time of the first calls. The keys exist, and only the limit per hour still counts a unit of them. */
const BEGIN_MS = 1_000;
const after = (ms: number) => BEGIN_MS + ms;

const bucket = tokenBucket({ capacity: 1, refill: 1, per: "50ms" });
const wide = tokenBucket({ capacity: 2, refill: 1, per: "50ms", name: "wide" });
const slow = tokenBucket({ capacity: 2, refill: 1, per: "1h", name: "slow" });
const sliding = slidingWindow({ limit: 2, window: "60ms", resolution: 0 });
const fixed = fixedWindow({ limit: 4, window: "1h" });

const race = (first: readonly Limit[], second: readonly Limit[]) => ({
  ...COMMON,
  limits: first,
  race: { first, second },
  before: callsAt(0, ["allow", "both"]),
  keys: ["both"],
  lookAtMs: [0],
  deaths: "none" as const,
});

/**
 * Threads call on two combined limiters. One thread loses the second limiter, and revokes what it took from the first.
 */
export const RACES: readonly Scenario[] = [
  {
    ...race([bucket], [slow]),
    name: "a bucket that is full again before the loser revokes",
    programs: [
      callsAt(after(0), ["allow", "both"]),
      [
        ...callsAt(after(0), ["allow", "second"]),
        ...callsAt(after(50), ["allow", "first"]),
        ...callsAt(after(62), ["allow", "first"]),
      ],
    ],
  },
  {
    ...race([wide], [slow]),
    name: "a bucket that has refilled in part before the loser revokes",
    programs: [
      callsAt(after(0), ["allow", "both"]),
      [
        ...callsAt(after(0), ["allow", "second"]),
        ...callsAt(after(60), ["allow", "first", 2]),
        ...callsAt(after(90), ["allow", "first"]),
      ],
    ],
  },
  {
    ...race([bucket, sliding], [slow]),
    name: "several cells, and a window that keeps what the loser took",
    programs: [
      callsAt(after(0), ["allow", "both"]),
      [
        ...callsAt(after(0), ["allow", "second"]),
        ...callsAt(after(50), ["allow", "first"]),
        ...callsAt(after(70), ["allow", "first"]),
      ],
    ],
  },
  {
    ...race([wide], [slow]),
    name: "two threads that call on both at one time",
    programs: [
      callsAt(after(0), ["allow", "both"], ["allow", "first"]),
      callsAt(after(0), ["allow", "both"], ["allow", "first"]),
    ],
  },
  {
    ...race([wide, fixed], [slow]),
    name: "two threads that call on both at one time, with several cells",
    programs: [callsAt(after(0), ["allow", "both"]), callsAt(after(0), ["allow", "both"])],
  },
];
