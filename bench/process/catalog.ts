import { type CreateContender, syncContender } from "./contender.ts";
import { JOBS, type JobId, keysIn, type TableId } from "./jobs.ts";
import { LARGE_CACHE, type RIVALS } from "./rivals.ts";
import type { Variant } from "./tollgate.ts";

interface Common {
  readonly id: string;
  readonly name: string;
  readonly family: "tollgate" | "rival" | "floor" | "nothing";
  readonly jobs: readonly JobId[];
  /** The most keys that it keeps. It forgets some where a job has more. */
  readonly keeps?: number;
}

export interface NodeEntry extends Common {
  readonly load: () => Promise<CreateContender>;
}

/** A row of `floor/floor.c`, with the words that the program takes. */
export interface NativeEntry extends Common {
  readonly native: { readonly clock: "per-call" | "coarse"; readonly form: "keys" | "handles" };
}

export type Entry = NodeEntry | NativeEntry;

const SMALL: readonly JobId[] = ["hot", "thousand", "denied-hot", "denied-thousand"];
const KEYS: readonly JobId[] = [...SMALL, "million"];
const ALL: readonly JobId[] = [...KEYS, "weight"];
const HANDLES: readonly JobId[] = ["hot", "thousand", "million-handles"];

const TOLLGATE: readonly NodeEntry[] = [
  tollgate({ store: "memory", clock: "per call", limits: 1, form: "keys" }, ALL),
  tollgate({ store: "memory", clock: "coarse", limits: 1, form: "keys" }, KEYS),
  tollgate({ store: "table", clock: "per call", limits: 1, form: "keys" }, ALL),
  tollgate({ store: "table", clock: "coarse", limits: 1, form: "keys" }, KEYS),
  tollgate({ store: "memory", clock: "per call", limits: 2, form: "keys" }, ["hot", "thousand"]),
  tollgate({ store: "table", clock: "per call", limits: 2, form: "keys" }, ["hot", "thousand"]),
  tollgate({ store: "memory", clock: "per call", limits: 1, form: "decisions" }, SMALL),
  tollgate({ store: "table", clock: "per call", limits: 1, form: "decisions" }, SMALL),
  tollgate({ store: "memory", clock: "coarse", limits: 1, form: "handles" }, HANDLES),
  tollgate({ store: "table", clock: "coarse", limits: 1, form: "handles" }, HANDLES),
  tollgate({ store: "shared", clock: "coarse", limits: 1, form: "keys" }, ["hot", "thousand"]),
  tollgate({ store: "shared", clock: "coarse", limits: 1, form: "handles" }, ["hot", "thousand"]),
  tollgate({ store: "table", clock: "per call", limits: 1, form: "batches" }, ["thousand", "million-batches"]),
];

const LARGE = { name: "@fastify/rate-limit, large cache", keeps: LARGE_CACHE, jobs: ["million", "weight"] } as const;

/** With default options except for the limit, which has no default. */
const RIVAL_ENTRIES: readonly NodeEntry[] = [
  rival("rate-limiter-flexible"),
  rival("express-rate-limit"),
  rival("hono-rate-limiter"),
  { ...rival("fastify-rate-limit"), name: "@fastify/rate-limit", keeps: 5_000 },
  { ...rival("fastify-rate-limit-large"), ...LARGE },
  rival("limiter"),
];

const FLOORS: readonly NativeEntry[] = [
  floor("", "", { clock: "per-call", form: "keys" }, ["thousand", "million"]),
  floor("-coarse", ", coarse clock", { clock: "coarse", form: "keys" }, ["thousand", "million"]),
  floor("-coarse-handles", ", handles, coarse clock", { clock: "coarse", form: "handles" }, ["million-handles"]),
];

const LOOP: NodeEntry = {
  id: "nothing",
  name: "the loop alone",
  family: "nothing",
  jobs: ["hot", "thousand", "million"],
  load: async () => (setup) =>
    syncContender(setup, (strings) => (from, to) => {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (strings[i]!.length > 0) admitted += 1;
      return admitted;
    }),
};

export const ENTRIES: readonly Entry[] = [...TOLLGATE, ...RIVAL_ENTRIES, ...FLOORS, LOOP];

/** The ids of the rivals that keep all keys of the table. */
export function rivalsIn(table: TableId): readonly string[] {
  const asked = RIVAL_ENTRIES.filter(
    ({ jobs, keeps = Number.POSITIVE_INFINITY }) =>
      JOBS.some(({ id, passes }) => jobs.includes(id) && table in passes) && keeps >= keysIn(table),
  );
  return asked.map(({ id }) => id);
}

function rival(id: keyof typeof RIVALS): NodeEntry {
  const load = async () => (await import("./rivals.ts")).RIVALS[id]();
  return { id, name: id, family: "rival", jobs: ALL, load };
}

function floor(suffix: string, name: string, native: NativeEntry["native"], jobs: readonly JobId[]): NativeEntry {
  return { id: `floor${suffix}`, name: `C, such a table${name}`, family: "floor", jobs, native };
}

/** Ids are as in `memory`, `table-coarse`, `memory-two-limits`, `table-coarse-handles`. */
function tollgate(variant: Variant, jobs: readonly JobId[]): NodeEntry {
  const { store, clock, limits, form } = variant;
  const words = [store, clock === "coarse" && "coarse", limits === 2 && "two-limits", form !== "keys" && form];
  const formName = { keys: "", decisions: ", decisions", handles: ", handles", batches: ", batches of 64" }[form];
  const name = `Tollgate ${store}${limits === 2 ? ", two limits" : ""}${formName}`;
  return {
    id: words.filter(Boolean).join("-"),
    name: clock === "coarse" ? `${name}, coarse clock` : name,
    family: "tollgate",
    jobs,
    load: async () => (await import("./tollgate.ts")).loadVariant(variant),
  };
}
