import { SPENDABLE_MS } from "./lease-caller.ts";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";

const leases = (limits: number) => ({
  ...COMMON,
  limits: [],
  leases: { limits },
  keys: ["ann"],
  lookAtMs: [1],
  limiters: "kept" as const,
});

const before = callsAt(0, ["reserve", "ann"], ["settle", "ann"], ["charge", "ann", 2]);
const AFTER_MS = SPENDABLE_MS + 1;
/** Words that were not used for so long come to another key. */
const IDLE_MS = 12_001;

/** Threads that spend, report, return and take leases of one key at the same time. One thread may die at any step. */
export const LEASES: readonly Scenario[] = [
  {
    ...leases(1),
    name: "two threads spend the last units of a lease",
    before,
    programs: [callsAt(1, ["allow", "ann"], ["allow", "ann"]), callsAt(1, ["allow", "ann"], ["allow", "ann", 2])],
  },
  {
    ...leases(1),
    name: "a thread gives back what another one spends",
    before,
    programs: [callsAt(1, ["refund", "ann"], ["allow", "ann"]), callsAt(1, ["allow", "ann"], ["allow", "ann"])],
  },
  {
    ...leases(1),
    name: "two threads give back at the same time",
    before,
    programs: [callsAt(1, ["refund", "ann"]), callsAt(1, ["allow", "ann"], ["refund", "ann"])],
  },
  {
    ...leases(1),
    name: "a report while another thread spends",
    before,
    programs: [callsAt(1, ["peek", "ann"], ["allow", "ann"]), callsAt(1, ["allow", "ann"], ["allow", "ann"])],
  },
  {
    ...leases(1),
    name: "a lease is put where another one has just been returned",
    before,
    programs: [
      callsAt(1, ["refund", "ann"], ["charge", "ann", 3]),
      callsAt(1, ["allow", "ann"], ["allow", "ann", 3], ["allow", "ann"]),
    ],
  },
  {
    ...leases(2),
    name: "a lease of two limits is spent and returned",
    before,
    programs: [callsAt(1, ["allow", "ann"], ["refund", "ann"]), callsAt(1, ["allow", "ann"], ["allow", "ann"])],
  },
  {
    ...leases(1),
    name: "a lease ends while threads spend, and a new one comes",
    before,
    programs: [
      [...callsAt(1, ["allow", "ann"]), ...callsAt(AFTER_MS, ["allow", "ann"], ["charge", "ann", 3])],
      callsAt(AFTER_MS, ["allow", "ann"], ["sweep", "ann"]),
    ],
    lookAtMs: [AFTER_MS],
  },
  {
    ...leases(1),
    name: "two threads want to ask",
    before: [],
    programs: [callsAt(1, ["reserve", "ann"]), callsAt(1, ["reserve", "ann"])],
  },
];

/** These have so many interleavings that random ones have to do: putting a lease takes dozens of steps. */
export const LARGE_LEASES: readonly Scenario[] = [
  {
    ...leases(1),
    name: "two threads put leases, and there is one place",
    before,
    programs: [
      callsAt(1, ["charge", "ann", 3], ["allow", "ann"]),
      callsAt(1, ["charge", "ann", 5], ["allow", "ann", 4]),
    ],
  },
  {
    ...leases(1),
    name: "words come to another key",
    before,
    programs: [
      callsAt(IDLE_MS, ["reserve", "bob"], ["charge", "bob", 3], ["allow", "bob"]),
      callsAt(IDLE_MS, ["allow", "ann"], ["reserve", "ann"], ["charge", "ann", 3], ["allow", "ann"]),
    ],
    keys: ["ann", "bob"],
    lookAtMs: [IDLE_MS],
  },
];
