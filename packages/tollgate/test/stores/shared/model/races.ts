import { fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";

/** When the calls begin. Keys are there already, and idle again but for a unit of what takes an hour. */
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

/** Where threads ask two limiters together, one of them loses one, and gives back what it took of the other. */
export const RACES: readonly Scenario[] = [
  {
    ...race([bucket], [slow]),
    name: "a bucket that has become full again before the loser gives back",
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
    name: "a bucket that has refilled in part before the loser gives back",
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
    name: "several cells, of which a window keeps what the loser took",
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
    name: "two that ask both at one moment",
    programs: [
      callsAt(after(0), ["allow", "both"], ["allow", "first"]),
      callsAt(after(0), ["allow", "both"], ["allow", "first"]),
    ],
  },
  {
    ...race([wide, fixed], [slow]),
    name: "two that ask both at one moment, several cells",
    programs: [callsAt(after(0), ["allow", "both"]), callsAt(after(0), ["allow", "both"])],
  },
];
