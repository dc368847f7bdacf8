import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { crowded, LATER_MS, NOW_MS, ONE_CELL, rivals, withIdleSlotLater } from "./scenario-keys.ts";

const [ann, bob] = rivals(ONE_CELL);
const expiring = withIdleSlotLater(ONE_CELL);
const [olga, paul] = [expiring.keys[0]!, expiring.keys[1]!];

/** Keys go, and others take their slots. */
export const RECLAIMED_SLOTS: readonly Scenario[] = [
  {
    ...COMMON,
    name: "one thread calls on an idle key, the other takes its slot",
    limits: ONE_CELL,
    ...expiring,
    programs: [
      callsAt(LATER_MS, ["allow", olga], ["consume", olga]),
      callsAt(LATER_MS, ["allow", paul], ["consume", paul]),
    ],
  },
  {
    ...COMMON,
    name: "one thread resets a key and inserts another in its slot",
    limits: ONE_CELL,
    before: callsAt(NOW_MS, ["allow", ann]),
    keys: [ann, bob],
    programs: [callsAt(NOW_MS, ["allow", ann], ["consume", ann]), callsAt(NOW_MS, ["reset", ann], ["allow", bob])],
  },
  {
    ...COMMON,
    name: "one thread clears all keys",
    deaths: "none",
    limits: ONE_CELL,
    before: callsAt(NOW_MS, ["allow", ann]),
    keys: [ann],
    programs: [callsAt(NOW_MS, ["allow", ann], ["consume", ann]), callsAt(NOW_MS, ["clear", ""], ["allow", ann])],
  },
  {
    ...COMMON,
    name: "one thread sweeps",
    limits: ONE_CELL,
    before: callsAt(0, ["allow", ann]),
    lookAtMs: [LATER_MS],
    keys: [ann, bob],
    programs: [callsAt(LATER_MS, ["allow", ann], ["consume", ann]), callsAt(LATER_MS, ["sweep", ""], ["allow", bob])],
  },
];

/**
 * Two threads that keep taking the last slot from each other give up in the end. With this bound a call restarts about
 * once.
 */
const MOST_STEPS = 30;

const full = crowded(ONE_CELL, "all in use");
const nearlyFull = crowded(ONE_CELL, "one free");
const [carl, dora] = [full.keys[0]!, full.keys[1]!];
const [eve, finn] = [nearlyFull.keys[0]!, nearlyFull.keys[1]!];

/** No slot is free. */
export const OVERFLOW_BUCKETS: readonly Scenario[] = [
  {
    ...COMMON,
    ...full,
    name: "two keys share an overflow bucket",
    limits: ONE_CELL,
    placeOf: (key) => (full.keys.includes(key) ? "their bucket" : key),
    programs: [
      callsAt(NOW_MS, ["allow", carl], ["consume", carl]),
      callsAt(NOW_MS, ["allow", dora], ["consume", dora]),
    ],
  },
];

/** One slot is free. */
export const LAST_SLOTS: readonly Scenario[] = [
  {
    ...COMMON,
    ...nearlyFull,
    name: "one free slot for two keys, and the other key is denied",
    limits: ONE_CELL,
    overflow: "deny",
    deaths: "none",
    mostSteps: MOST_STEPS,
    placeOf: undefined,
    programs: [callsAt(NOW_MS, ["allow", eve], ["consume", eve]), callsAt(NOW_MS, ["allow", finn], ["consume", finn])],
  },
  {
    ...COMMON,
    ...nearlyFull,
    name: "one free slot for two keys, and the other key gets a bucket",
    limits: ONE_CELL,
    deaths: "none",
    mostSteps: MOST_STEPS,
    programs: [callsAt(NOW_MS, ["allow", eve], ["consume", eve]), callsAt(NOW_MS, ["allow", finn], ["consume", finn])],
  },
];
