import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { NOW_MS, ONE_CELL, rivals, withKnownKey } from "./scenario-keys.ts";

const [ann, bob] = rivals(ONE_CELL);

/** Two threads call on one key that is in the store already. */
export const KNOWN_KEYS: readonly Scenario[] = [
  {
    ...withKnownKey(ONE_CELL),
    name: "both threads call on one key",
    limiters: "kept",
    programs: [
      callsAt(NOW_MS, ["allow", "ann"], ["allow", "ann"], ["allow", "ann"]),
      callsAt(NOW_MS, ["allow", "ann"], ["allow", "ann"], ["allow", "ann"]),
    ],
  },
  {
    ...withKnownKey(ONE_CELL),
    name: "both threads have a handle of one key",
    deaths: "none",
    limiters: "kept",
    programs: [
      callsAt(NOW_MS, ["allow held", "ann"], ["allow held", "ann"]),
      callsAt(NOW_MS, ["allow held", "ann"], ["reset", "ann"]),
    ],
  },
  {
    ...withKnownKey(ONE_CELL),
    name: "all verbs on one cell",
    limiters: "kept",
    programs: [
      callsAt(NOW_MS, ["consume", "ann", 2], ["refund", "ann"], ["peek", "ann", 2]),
      callsAt(NOW_MS, ["charge", "ann", 2], ["peek", "ann"], ["consume", "ann"]),
    ],
  },
  {
    ...withKnownKey(ONE_CELL),
    name: "clocks that differ and go back",
    limiters: "kept",
    lookAtMs: [0, 1000, 4000],
    programs: [
      [
        ...callsAt(3000, ["consume", "ann"]),
        ...callsAt(500, ["consume", "ann", 2]),
        ...callsAt(2000, ["allow", "ann"]),
      ],
      [...callsAt(0, ["consume", "ann"]), ...callsAt(2500, ["allow", "ann", 2]), ...callsAt(0, ["peek", "ann"])],
    ],
  },
];

/** Two threads insert keys. */
export const NEW_KEYS: readonly Scenario[] = [
  {
    ...COMMON,
    name: "both threads insert the same key",
    limits: ONE_CELL,
    keys: [ann],
    programs: [callsAt(NOW_MS, ["allow", ann], ["allow", ann]), callsAt(NOW_MS, ["allow", ann], ["consume", ann])],
  },
  {
    ...COMMON,
    name: "each thread makes its first call",
    limits: ONE_CELL,
    limiters: "kept",
    keys: [ann],
    programs: [callsAt(NOW_MS, ["allow", ann]), callsAt(2 * NOW_MS, ["allow", ann])],
  },
  {
    ...COMMON,
    name: "two new keys with the same candidate slots",
    limits: ONE_CELL,
    keys: [ann, bob],
    programs: [callsAt(NOW_MS, ["allow", ann], ["consume", ann]), callsAt(NOW_MS, ["allow", bob], ["consume", bob])],
  },
];
