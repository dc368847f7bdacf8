import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { crowded, NOW_MS, ONE_CELL, rivals, SEVERAL_CELLS } from "./scenario-keys.ts";

const [ann, bob] = rivals(ONE_CELL);

/** Scenarios in which a planted defect shows. */
export const CLEARED: Scenario = {
  ...COMMON,
  name: "one thread clears all keys and inserts another in the same slot",
  limits: ONE_CELL,
  deaths: "none",
  before: callsAt(NOW_MS, ["allow", ann]),
  keys: [ann, bob],
  programs: [callsAt(NOW_MS, ["allow", ann]), callsAt(NOW_MS, ["clear", ""], ["allow", bob])],
};

export const SAME_NEW_KEY: Scenario = {
  ...COMMON,
  name: "both threads insert the same key",
  limits: ONE_CELL,
  deaths: "none",
  keys: [ann],
  programs: [callsAt(NOW_MS, ["allow", ann]), callsAt(NOW_MS, ["allow", ann])],
};

export const ONE_BLOCK: Scenario = {
  ...COMMON,
  name: "both threads call on one key of several cells",
  limits: SEVERAL_CELLS,
  before: callsAt(NOW_MS, ["charge", "ann"]),
  keys: ["ann"],
  programs: [callsAt(NOW_MS, ["peek", "ann"]), callsAt(NOW_MS, ["charge", "ann"], ["charge", "ann"])],
};

const oneFree = crowded(ONE_CELL, "one free");
const [eve, finn] = [oneFree.keys[0]!, oneFree.keys[1]!];

export const LAST_SLOT: Scenario = {
  ...COMMON,
  ...oneFree,
  name: "both threads insert a key where one slot is free",
  limits: ONE_CELL,
  overflow: "deny",
  deaths: "none",
  mostSteps: 30,
  placeOf: undefined,
  programs: [callsAt(NOW_MS, ["allow", eve]), callsAt(NOW_MS, ["allow", finn], ["allow", finn])],
};
