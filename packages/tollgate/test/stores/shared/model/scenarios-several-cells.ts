import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { LATER_MS, NOW_MS, SEVERAL_CELLS, WINDOW, withIdleSlotLater, withKnownKey } from "./scenario-keys.ts";

const expiringBlocks = withIdleSlotLater(SEVERAL_CELLS);
const [gina, hugo] = [expiringBlocks.keys[0]!, expiringBlocks.keys[1]!];

/** Two threads call on one key of several cells. */
export const KNOWN_BLOCKS: readonly Scenario[] = [
  {
    ...withKnownKey(SEVERAL_CELLS),
    name: "both threads call on one key of several cells",
    programs: [
      callsAt(NOW_MS, ["allow", "ann"], ["allow", "ann"], ["peek", "ann"]),
      callsAt(NOW_MS, ["consume", "ann"], ["allow", "ann"], ["allow", "ann"]),
    ],
  },
  {
    ...withKnownKey(SEVERAL_CELLS),
    name: "both threads use the same write slot",
    writeSlots: "same",
    programs: [
      callsAt(NOW_MS, ["consume", "ann"], ["peek", "ann"]),
      callsAt(NOW_MS, ["refund", "ann"], ["consume", "ann"]),
    ],
  },
  {
    ...withKnownKey(SEVERAL_CELLS),
    name: "all verbs on several cells",
    limiters: "kept",
    programs: [
      callsAt(NOW_MS, ["consume", "ann"], ["refund", "ann"]),
      callsAt(NOW_MS, ["charge", "ann", 2], ["peek", "ann"], ["reset", "ann"]),
    ],
  },
];

/** Two threads insert a key of several cells. */
export const NEW_BLOCKS: readonly Scenario[] = [
  {
    ...COMMON,
    name: "both threads insert the same key of several cells",
    limits: SEVERAL_CELLS,
    deaths: "none",
    // Another key exists, so that the record that the plan has keys is not explored again.
    before: callsAt(NOW_MS, ["allow", "zoe"]),
    keys: ["ann"],
    programs: [
      callsAt(NOW_MS, ["allow", "ann"], ["consume", "ann"]),
      callsAt(NOW_MS, ["allow", "ann"], ["consume", "ann"]),
    ],
  },
];

/** Two threads share a sliding window, or one takes the slot of an idle key of several cells. */
export const OTHER_BLOCKS: readonly Scenario[] = [
  {
    ...withKnownKey(WINDOW),
    name: "both threads call on one sliding window",
    programs: [
      callsAt(NOW_MS, ["peek", "ann"], ["allow", "ann"]),
      callsAt(2 * NOW_MS, ["consume", "ann"], ["refund", "ann"]),
    ],
  },
  {
    ...COMMON,
    name: "one thread calls on an idle key of several cells, the other takes its slot",
    limits: SEVERAL_CELLS,
    ...expiringBlocks,
    programs: [
      callsAt(LATER_MS, ["allow", gina], ["consume", gina]),
      callsAt(LATER_MS, ["allow", hugo], ["consume", hugo]),
    ],
  },
];
