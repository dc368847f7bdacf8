import { concurrency, fixedWindow, type Limit, tokenBucket } from "tollgate";
import type { Call } from "./model-call.ts";
import { byVersion, COMMON, callsAt, type Scenario } from "./scenario.ts";
import { NOW_MS } from "./scenario-keys.ts";

// At one moment whole units move without a fraction, so the order of moves makes no difference.
const calls = (capacity: number): Limit => tokenBucket({ name: "calls", capacity, refill: 1, per: "1s" });
const other = (limit: number): Limit => fixedWindow({ name: "other", limit, window: "1m", anchor: "first-use" });

const places = (max: number): Limit => concurrency({ name: "places", max, ttl: "1m" });

const by = (version: number, ...list: readonly [Call["verb"], string, number?][]) =>
  byVersion(version, callsAt(NOW_MS, ...list));

/** Another key is counted under each version, so that the records that plans have keys are not explored again. */
const zoe = (versions: number) => Array.from({ length: versions }, (_, i) => by(i, ["allow", `zoe-${i}`])).flat();

const twoVersions = { ...COMMON, limits: [calls(2)], versions: [[calls(3)]], keys: ["ann"] };

const known = { ...twoVersions, before: [...zoe(2), ...by(0, ["allow", "ann"])] };
const lists = {
  ...twoVersions,
  limits: [calls(2), other(2)],
  versions: [[calls(3)], [other(3)]],
  before: [...zoe(3), ...by(0, ["allow", "ann"])],
};

const held = {
  ...twoVersions,
  limiters: "kept",
  limits: [places(2)],
  versions: [[places(3)]],
  before: [...by(0, ["reserve", "zoe-0"]), ...by(1, ["reserve", "zoe-1"])],
} as const;

/** Threads call a key under several versions of a limiter. */
export const CHANGES: readonly Scenario[] = [
  {
    ...known,
    name: "one thread calls a known key under new numbers",
    programs: [by(0, ["allow", "ann"], ["allow", "ann"]), by(1, ["allow", "ann"])],
  },
  {
    ...twoVersions,
    name: "both threads call a new key under different numbers",
    before: zoe(2),
    programs: [by(0, ["allow", "ann"]), by(1, ["allow", "ann"])],
  },
  {
    ...known,
    name: "both threads alternate between the numbers",
    programs: [
      [...by(0, ["allow", "ann"]), ...by(1, ["peek", "ann"])],
      [...by(1, ["consume", "ann"]), ...by(0, ["allow", "ann"])],
    ],
  },
  {
    ...known,
    name: "one thread resets a key that the other moves",
    programs: [by(1, ["allow", "ann"], ["peek", "ann"], ["allow", "ann"]), by(0, ["reset", "ann"], ["peek", "ann"])],
  },
  {
    ...known,
    name: "a key moves to other numbers, by handles that are held",
    limiters: "kept",
    programs: [by(0, ["allow held", "ann"], ["allow held", "ann"]), by(1, ["allow", "ann"], ["refund", "ann"])],
  },
  {
    ...known,
    name: "a key moves between three plans",
    versions: [[calls(3)], [calls(4)]],
    before: [...zoe(3), ...by(0, ["allow", "ann"])],
    programs: [by(1, ["allow", "ann"], ["peek", "ann"]), by(2, ["charge", "ann"], ["allow", "ann"])],
  },
  {
    ...known,
    name: "a key keeps its first numbers",
    onChange: "keep-first",
    programs: [by(0, ["allow", "ann"], ["peek", "ann"]), by(1, ["consume", "ann"], ["reset", "ann"])],
  },
  {
    ...lists,
    name: "one limit of a list moves, and the other one stays",
    programs: [by(1, ["allow", "ann"], ["peek", "ann"]), by(0, ["consume", "ann"])],
  },
  {
    ...lists,
    name: "both limits of a list move to plans of their own",
    programs: [by(1, ["allow", "ann"], ["peek", "ann"]), by(2, ["allow", "ann"])],
  },
  {
    ...lists,
    name: "one limit of a list is forgotten, and the other one stays",
    programs: [by(1, ["reset", "ann"], ["peek", "ann"]), by(0, ["consume", "ann"], ["allow", "ann"])],
  },
  {
    ...held,
    name: "one thread frees its place while the other moves the key",
    programs: [by(0, ["reserve", "ann"], ["cancel", "ann"]), by(1, ["reserve", "ann"], ["peek", "ann"])],
  },
];

/**
 * Every interleaving of these is explored. Two threads that move a key back and forth have too many: random runs
 * explore those.
 */
export const ONE_CHANGE: readonly Scenario[] = [
  {
    ...known,
    name: "one thread peeks under the former numbers while the other moves the key",
    programs: [by(0, ["peek", "ann"]), by(1, ["allow", "ann"])],
  },
  {
    ...known,
    name: "one thread peeks under the new numbers while the other moves the key",
    programs: [by(1, ["peek", "ann"]), by(1, ["allow", "ann"])],
  },
];

/** What one thread finds in a row may have changed when it comes to the other row. */
export const TWO_ROWS: Scenario = {
  ...lists,
  name: "one thread looks at two rows of a key while the other changes one after the other",
  before: [...zoe(3), ...by(1, ["allow", "ann"]), ...by(2, ["allow", "ann"])],
  programs: [by(0, ["explain", "ann"]), [...by(1, ["allow", "ann"]), ...by(2, ["allow", "ann"])]],
};

/** Too many interleavings to explore all. */
export const TO_ONE_PLAN: Scenario = {
  ...known,
  name: "both threads move a key to one plan",
  programs: [by(1, ["allow", "ann"]), by(1, ["allow", "ann"])],
};

/** A correction during a reset does nothing, and a third thread may then still find the key: two cannot show that. */
export const FORGOTTEN_ELSEWHERE: Scenario = {
  ...held,
  name: "one thread holds places that the other forgets under other numbers",
  deaths: "none",
  programs: [by(0, ["reserve", "ann"], ["cancel", "ann"]), by(1, ["reset", "ann"], ["reserve", "ann"])],
};
