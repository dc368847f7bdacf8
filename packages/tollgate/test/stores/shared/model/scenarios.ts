import { fixedWindow, slidingWindow, tokenBucket } from "tollgate";
import { CrowdedKeys, SLOTS_PER_SET } from "./crowded-keys.ts";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";

const bucket = tokenBucket({ capacity: 3, refill: 1, per: "1s" });
export const ONE_CELL = [bucket];
export const SEVERAL_CELLS = [bucket, fixedWindow({ limit: 2, window: "1m" })];
const WINDOW = [slidingWindow({ limit: 2, window: "10s" })];

/** A moment at which a key that was last used at 0 is as good as new. */
const LATER_MS = 120_000;

/** Two keys that want the same slots. */
export function rivals(limits: Scenario["limits"]): [string, string] {
  const [one, other] = new CrowdedKeys(limits).inSameSets(2);
  return [one!, other!];
}

/** A key that is as good as new later, in a set where all others still count: its slot is what the second key takes. */
function withoutRoomLater(limits: Scenario["limits"]): Pick<Scenario, "before" | "keys" | "lookAtMs"> {
  const [old, other, ...neighbours] = new CrowdedKeys(limits).inSameSets(1 + SLOTS_PER_SET);
  const before = neighbours.flatMap((key) => callsAt(LATER_MS, ["allow", key]));
  return { keys: [old!, other!], before: [...callsAt(0, ["allow", old!]), ...before], lookAtMs: [LATER_MS] };
}

const [ann, bob] = rivals(ONE_CELL);
const now = 1000;

const known = (limits: Scenario["limits"]) => ({
  ...COMMON,
  limits,
  before: callsAt(now, ["allow", "ann"]),
  keys: ["ann"],
});

/** One key, which is there already. */
const HOT: readonly Scenario[] = [
  {
    ...known(ONE_CELL),
    name: "a key that both want",
    limiters: "kept",
    programs: [
      callsAt(now, ["allow", "ann"], ["allow", "ann"], ["allow", "ann"]),
      callsAt(now, ["allow", "ann"], ["allow", "ann"], ["allow", "ann"]),
    ],
  },
  {
    ...known(ONE_CELL),
    name: "a key that both have handles of",
    deaths: "none",
    limiters: "kept",
    programs: [
      callsAt(now, ["allow held", "ann"], ["allow held", "ann"]),
      callsAt(now, ["allow held", "ann"], ["reset", "ann"]),
    ],
  },
  {
    ...known(ONE_CELL),
    name: "all verbs, one cell",
    limiters: "kept",
    programs: [
      callsAt(now, ["consume", "ann", 2], ["refund", "ann"], ["peek", "ann", 2]),
      callsAt(now, ["charge", "ann", 2], ["peek", "ann"], ["consume", "ann"]),
    ],
  },
  {
    ...known(ONE_CELL),
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

/** Keys that come, and go. */
const INSERTION: readonly Scenario[] = [
  {
    ...COMMON,
    name: "the same new key",
    limits: ONE_CELL,
    keys: [ann],
    programs: [callsAt(now, ["allow", ann], ["allow", ann]), callsAt(now, ["allow", ann], ["consume", ann])],
  },
  {
    ...COMMON,
    name: "the first call for either thread",
    limits: ONE_CELL,
    limiters: "kept",
    keys: [ann],
    programs: [callsAt(now, ["allow", ann]), callsAt(2 * now, ["allow", ann])],
  },
  {
    ...COMMON,
    name: "different new keys that want the same slot",
    limits: ONE_CELL,
    keys: [ann, bob],
    programs: [callsAt(now, ["allow", ann], ["consume", ann]), callsAt(now, ["allow", bob], ["consume", bob])],
  },
];

const expiring = withoutRoomLater(ONE_CELL);
const [olga, paul] = [expiring.keys[0]!, expiring.keys[1]!];

const RECLAIMING: readonly Scenario[] = [
  {
    ...COMMON,
    name: "a key as good as new, whose slot another takes",
    limits: ONE_CELL,
    ...expiring,
    programs: [
      callsAt(LATER_MS, ["allow", olga], ["consume", olga]),
      callsAt(LATER_MS, ["allow", paul], ["consume", paul]),
    ],
  },
  {
    ...COMMON,
    name: "a key that is reset, and another in its slot",
    limits: ONE_CELL,
    before: callsAt(now, ["allow", ann]),
    keys: [ann, bob],
    programs: [callsAt(now, ["allow", ann], ["consume", ann]), callsAt(now, ["reset", ann], ["allow", bob])],
  },
  {
    ...COMMON,
    name: "all keys cleared",
    deaths: "none",
    limits: ONE_CELL,
    before: callsAt(now, ["allow", ann]),
    keys: [ann],
    programs: [callsAt(now, ["allow", ann], ["consume", ann]), callsAt(now, ["clear", ""], ["allow", ann])],
  },
  {
    ...COMMON,
    name: "a sweep",
    limits: ONE_CELL,
    before: callsAt(0, ["allow", ann]),
    lookAtMs: [LATER_MS],
    keys: [ann, bob],
    programs: [callsAt(LATER_MS, ["allow", ann], ["consume", ann]), callsAt(LATER_MS, ["sweep", ""], ["allow", bob])],
  },
];

/** Every slot taken, but perhaps one. */
export function crowded(
  limits: Scenario["limits"],
  room: "full" | "for one key",
): Pick<Scenario, "before" | "maxKeys" | "keys"> {
  const crowd = new CrowdedKeys(limits);
  const keys = room === "full" ? crowd.inSameBucket(2) : crowd.inSameSets(2);
  const fillers = crowd.fillingAll();
  const leaves = fillers.find((key) => crowd.firstSetOf(key) === crowd.firstSetOf(keys[0]!))!;
  const come = fillers.flatMap((key) => callsAt(now, ["allow", key]));
  return {
    keys,
    maxKeys: fillers.length,
    before: room === "full" ? come : [...come, ...callsAt(now, ["reset", leaves])],
  };
}

/** Two that take the last slot from each other again and again find no room in the end. Here each call may be begun again about once. */
const MOST_STEPS = 30;

const full = crowded(ONE_CELL, "full");
const nearlyFull = crowded(ONE_CELL, "for one key");
const [carl, dora] = [full.keys[0]!, full.keys[1]!];
const [eve, finn] = [nearlyFull.keys[0]!, nearlyFull.keys[1]!];

const OVERFLOW: readonly Scenario[] = [
  {
    ...COMMON,
    ...full,
    name: "two keys that share a bucket for want of room",
    limits: ONE_CELL,
    placeOf: (key) => (full.keys.includes(key) ? "their bucket" : key),
    programs: [callsAt(now, ["allow", carl], ["consume", carl]), callsAt(now, ["allow", dora], ["consume", dora])],
  },
  {
    ...COMMON,
    ...nearlyFull,
    name: "room for one of two keys, the other denied",
    limits: ONE_CELL,
    overflow: "deny",
    deaths: "none",
    mostSteps: MOST_STEPS,
    placeOf: undefined,
    programs: [callsAt(now, ["allow", eve], ["consume", eve]), callsAt(now, ["allow", finn], ["consume", finn])],
  },
  {
    ...COMMON,
    ...nearlyFull,
    name: "room for one of two keys, the other in a bucket",
    limits: ONE_CELL,
    deaths: "none",
    mostSteps: MOST_STEPS,
    programs: [callsAt(now, ["allow", eve], ["consume", eve]), callsAt(now, ["allow", finn], ["consume", finn])],
  },
];

const expiringBlocks = withoutRoomLater(SEVERAL_CELLS);
const [gina, hugo] = [expiringBlocks.keys[0]!, expiringBlocks.keys[1]!];

const BLOCKS: readonly Scenario[] = [
  {
    ...known(SEVERAL_CELLS),
    name: "several cells",
    programs: [
      callsAt(now, ["allow", "ann"], ["allow", "ann"], ["peek", "ann"]),
      callsAt(now, ["consume", "ann"], ["allow", "ann"], ["allow", "ann"]),
    ],
  },
  {
    ...known(SEVERAL_CELLS),
    name: "several cells, written at the same desk",
    writeSlots: "same",
    programs: [callsAt(now, ["consume", "ann"], ["peek", "ann"]), callsAt(now, ["refund", "ann"], ["consume", "ann"])],
  },
  {
    ...known(SEVERAL_CELLS),
    name: "all verbs, several cells",
    limiters: "kept",
    programs: [
      callsAt(now, ["consume", "ann"], ["refund", "ann"]),
      callsAt(now, ["charge", "ann", 2], ["peek", "ann"], ["reset", "ann"]),
    ],
  },
  {
    ...known(WINDOW),
    name: "a sliding window",
    programs: [
      callsAt(now, ["peek", "ann"], ["allow", "ann"]),
      callsAt(2 * now, ["consume", "ann"], ["refund", "ann"]),
    ],
  },
  {
    ...COMMON,
    name: "the same new key of several cells",
    limits: SEVERAL_CELLS,
    deaths: "none",
    keys: ["ann"],
    programs: [callsAt(now, ["allow", "ann"], ["consume", "ann"]), callsAt(now, ["allow", "ann"], ["consume", "ann"])],
  },
  {
    ...COMMON,
    name: "a key of several cells, whose slot another takes",
    limits: SEVERAL_CELLS,
    ...expiringBlocks,
    programs: [
      callsAt(LATER_MS, ["allow", gina], ["consume", gina]),
      callsAt(LATER_MS, ["allow", hugo], ["consume", hugo]),
    ],
  },
];

export const SCENARIOS: readonly Scenario[] = [...HOT, ...INSERTION, ...RECLAIMING, ...OVERFLOW, ...BLOCKS];
