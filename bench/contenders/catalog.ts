import type { Entry, NativeEntry, NodeEntry } from "./entry.ts";
import { RIVAL_ENTRIES } from "./rival-entries.ts";
import { TOLLGATE_ENTRIES } from "./tollgate-entries.ts";

const FLOOR = { runs: "natively", family: "floor" } as const;

const FLOOR_ENTRIES: readonly NativeEntry[] = [
  {
    ...FLOOR,
    id: "floor",
    name: "C, such a table",
    options: "`clock_gettime` in each call",
    jobs: ["thousand", "million"],
    clock: "per-call",
    form: "keys",
  },
  {
    ...FLOOR,
    id: "floor-coarse",
    name: "C, such a table, coarse clock",
    options: "`clock_gettime` in every 16th call",
    jobs: ["thousand", "million"],
    clock: "coarse",
    form: "keys",
  },
  {
    ...FLOOR,
    id: "floor-coarse-handles",
    name: "C, such a table, handles, coarse clock",
    options: "a handle is the line's address and the hash; `clock_gettime` in every 16th call",
    jobs: ["million-handles"],
    clock: "coarse",
    form: "handles",
  },
];

const NOTHING: NodeEntry = {
  runs: "in Node",
  family: "nothing",
  id: "nothing",
  name: "the loop alone",
  options: "looks at the length of each key",
  jobs: ["hot", "thousand", "million"],
  load: async () => (await import("./nothing.ts")).create,
};

/** In the order of the report's rows. */
export const CATALOG: readonly Entry[] = [...TOLLGATE_ENTRIES, ...RIVAL_ENTRIES, ...FLOOR_ENTRIES, NOTHING];
