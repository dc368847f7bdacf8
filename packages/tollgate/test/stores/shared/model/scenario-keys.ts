import { fixedWindow, slidingWindow, tokenBucket } from "tollgate";
import { CrowdedKeys, SLOTS_PER_SET } from "./crowded-keys.ts";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";

type Limits = Scenario["limits"];

const bucket = tokenBucket({ capacity: 3, refill: 1, per: "1s" });
export const ONE_CELL: Limits = [bucket];
export const SEVERAL_CELLS: Limits = [bucket, fixedWindow({ limit: 2, window: "1m" })];
export const WINDOW: Limits = [slidingWindow({ limit: 2, window: "10s" })];

export const NOW_MS = 1000;
/** A key whose last call was at 0 is idle at this time. */
export const LATER_MS = 120_000;

/** Two keys that have the same candidate slots. */
export function rivals(limits: Limits): [string, string] {
  const [one, other] = new CrowdedKeys(limits).inSameSets(2);
  return [one!, other!];
}

/** A key that is idle later, in a set whose other keys are in use then: a second key takes its slot. */
export function withIdleSlotLater(limits: Limits): Pick<Scenario, "before" | "keys" | "lookAtMs"> {
  const [old, other, ...neighbours] = new CrowdedKeys(limits).inSameSets(1 + SLOTS_PER_SET);
  const before = neighbours.flatMap((key) => callsAt(LATER_MS, ["allow", key]));
  return { keys: [old!, other!], before: [...callsAt(0, ["allow", old!]), ...before], lookAtMs: [LATER_MS] };
}

/** A store in which every slot is in use, or every slot but one. */
export function crowded(
  limits: Limits,
  slots: "all in use" | "one free",
): Pick<Scenario, "before" | "maxKeys" | "keys"> {
  const crowd = new CrowdedKeys(limits);
  const keys = slots === "all in use" ? crowd.inSameBucket(2) : crowd.inSameSets(2);
  const fillers = crowd.fillingAll();
  const leaves = fillers.find((key) => crowd.firstSetOf(key) === crowd.firstSetOf(keys[0]!))!;
  const fill = fillers.flatMap((key) => callsAt(NOW_MS, ["allow", key]));
  return {
    keys,
    maxKeys: fillers.length,
    before: slots === "all in use" ? fill : [...fill, ...callsAt(NOW_MS, ["reset", leaves])],
  };
}

/** A scenario whose key "ann" is in the store already. */
export function withKnownKey(limits: Limits) {
  return { ...COMMON, limits, before: callsAt(NOW_MS, ["allow", "ann"]), keys: ["ann"] };
}
