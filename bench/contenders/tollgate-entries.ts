import type { Variant } from "../tollgate/variant.ts";
import type { JobId } from "../workloads/job.ts";
import type { NodeEntry } from "./entry.ts";
import { idOf, nameOf, optionsOf } from "./variant-words.ts";

const SMALL: readonly JobId[] = ["hot", "thousand", "denied-hot", "denied-thousand"];
const EVERYWHERE: readonly JobId[] = [...SMALL, "million"];

export const TOLLGATE_ENTRIES: readonly NodeEntry[] = [
  entryOf({ store: "memory", clock: "per call", limits: 1, form: "keys" }, [...EVERYWHERE, "weight"]),
  entryOf({ store: "memory", clock: "coarse", limits: 1, form: "keys" }, EVERYWHERE),
  entryOf({ store: "table", clock: "per call", limits: 1, form: "keys" }, [...EVERYWHERE, "weight"]),
  entryOf({ store: "table", clock: "coarse", limits: 1, form: "keys" }, EVERYWHERE),
  entryOf({ store: "memory", clock: "per call", limits: 2, form: "keys" }, ["hot", "thousand"]),
  entryOf({ store: "table", clock: "per call", limits: 2, form: "keys" }, ["hot", "thousand"]),
  entryOf({ store: "memory", clock: "per call", limits: 1, form: "decisions" }, SMALL),
  entryOf({ store: "table", clock: "per call", limits: 1, form: "decisions" }, SMALL),
  entryOf({ store: "memory", clock: "coarse", limits: 1, form: "handles" }, ["hot", "thousand", "million-handles"]),
  entryOf({ store: "table", clock: "coarse", limits: 1, form: "handles" }, ["hot", "thousand", "million-handles"]),
  entryOf({ store: "shared", clock: "coarse", limits: 1, form: "keys" }, ["hot", "thousand"]),
  entryOf({ store: "shared", clock: "coarse", limits: 1, form: "handles" }, ["hot", "thousand"]),
  entryOf({ store: "table", clock: "per call", limits: 1, form: "batches" }, ["thousand", "million-batches"]),
];

function entryOf(variant: Variant, jobs: readonly JobId[]): NodeEntry {
  return {
    runs: "in Node",
    family: "tollgate",
    id: idOf(variant),
    name: nameOf(variant),
    options: optionsOf(variant),
    jobs,
    load: async () => (await import("../tollgate/variant.ts")).loadVariant(variant),
  };
}
