import { COMMON, callsAt, type Scenario } from "./scenario.ts";

const PLACES = {
  ...COMMON,
  limits: [],
  leases: { limits: 1, ofPlaces: true },
  keys: ["ann"],
  lookAtMs: [1],
  limiters: "kept",
} as const;

const before = callsAt(0, ["charge", "ann", 2]);

/** What threads do with places that they lend together. */
export const PLACES_TOGETHER: readonly Scenario[] = [
  {
    ...PLACES,
    name: "two threads lend the last places",
    before,
    programs: [callsAt(1, ["reserve", "ann"], ["reserve", "ann"]), callsAt(1, ["reserve", "ann"], ["cancel", "ann"])],
  },
  {
    ...PLACES,
    name: "a thread gives back what another one lends and frees",
    before,
    programs: [callsAt(1, ["sweep", "ann"], ["reserve", "ann"]), callsAt(1, ["reserve", "ann"], ["cancel", "ann"])],
  },
  {
    ...PLACES,
    name: "two threads give back at the same time",
    before,
    programs: [callsAt(1, ["reserve", "ann"], ["sweep", "ann"]), callsAt(1, ["sweep", "ann"], ["peek", "ann"])],
  },
  {
    ...PLACES,
    name: "a report while a place is lent and freed",
    before,
    programs: [callsAt(1, ["peek", "ann"], ["reserve", "ann"]), callsAt(1, ["reserve", "ann"], ["cancel", "ann"])],
  },
];

/** These have so many interleavings that random ones have to do: asking for more takes dozens of steps. */
export const LARGE_PLACES: readonly Scenario[] = [
  {
    ...PLACES,
    name: "a lease gets more places while another thread lends and reports",
    before,
    programs: [
      callsAt(1, ["charge", "ann", 3], ["reserve", "ann"], ["sweep", "ann"]),
      callsAt(1, ["reserve", "ann"], ["cancel", "ann"], ["sweep", "ann"], ["peek", "ann"]),
    ],
  },
  {
    ...PLACES,
    name: "two threads ask for more at the same time",
    before,
    programs: [
      callsAt(1, ["charge", "ann", 3], ["reserve", "ann", 4]),
      callsAt(1, ["charge", "ann", 5], ["reserve", "ann"], ["peek", "ann"]),
    ],
  },
  {
    ...PLACES,
    name: "two threads put the first lease",
    before: [],
    programs: [
      callsAt(1, ["charge", "ann", 3], ["reserve", "ann"], ["sweep", "ann"]),
      callsAt(1, ["charge", "ann", 5], ["reserve", "ann", 4]),
    ],
  },
];
