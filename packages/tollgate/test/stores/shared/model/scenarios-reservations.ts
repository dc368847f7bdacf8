import { concurrency, fixedWindow } from "tollgate";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { NOW_MS } from "./scenario-keys.ts";

const TTL_MS = 60_000;
const TWO = [concurrency({ max: 2, ttl: TTL_MS })];
const UNITS = [fixedWindow({ limit: 5, window: "1m" })];

const common = { ...COMMON, limiters: "kept", keys: ["ann"], before: callsAt(NOW_MS, ["reserve", "zoe"]) } as const;

/** Threads take places by reservations, and free or renew them, or settle units. */
export const RESERVATIONS: readonly Scenario[] = [
  {
    ...common,
    name: "one thread frees its place while the other takes the last one",
    limits: TWO,
    before: callsAt(NOW_MS, ["reserve", "ann"]),
    programs: [
      callsAt(NOW_MS, ["reserve", "ann"], ["cancel", "ann"]),
      callsAt(NOW_MS, ["reserve", "ann"], ["reserve", "ann"]),
    ],
  },
  {
    ...common,
    name: "one thread renews its place when the places of others expire",
    limits: TWO,
    lookAtMs: [NOW_MS, NOW_MS + TTL_MS, NOW_MS + 2 * TTL_MS],
    before: callsAt(NOW_MS, ["reserve", "ann"]),
    programs: [
      [...callsAt(NOW_MS + 1, ["reserve", "ann"]), ...callsAt(NOW_MS + TTL_MS, ["renew", "ann"])],
      [...callsAt(NOW_MS + TTL_MS, ["reserve", "ann"]), ...callsAt(NOW_MS + TTL_MS + 1, ["settle", "ann"])],
    ],
  },
  {
    ...common,
    name: "one thread settles its units for more, the other for fewer",
    limits: UNITS,
    deaths: "none",
    before: callsAt(NOW_MS, ["charge", "ann"]),
    programs: [
      callsAt(NOW_MS, ["reserve", "ann", 2], ["settle", "ann", 3]),
      callsAt(NOW_MS, ["reserve", "ann", 2], ["settle", "ann"]),
    ],
  },
];

/** A correction during a reset does nothing, and a third thread may then still find the key: two cannot show that. */
export const FORGOTTEN_PLACES: Scenario = {
  ...common,
  name: "a key is forgotten while its places are held",
  // A thread that dies while it forgets a key leaves what others took before uncorrected.
  deaths: "none",
  limits: TWO,
  programs: [
    callsAt(NOW_MS, ["reserve", "ann", 2], ["cancel", "ann"]),
    callsAt(NOW_MS, ["reset", "ann"], ["reserve", "ann"]),
  ],
};
