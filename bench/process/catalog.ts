import { type CreateContender, loopOf, syncContender } from "./contender.ts";
import { JOBS, keysIn, type TableId, type Verb } from "./jobs.ts";
import { LARGE_CACHE, type RIVALS } from "./rivals.ts";
import type { Variant } from "./tollgate.ts";

interface Common {
  readonly id: string;
  readonly name: string;
  readonly family: "tollgate" | "rival" | "floor" | "nothing";
  /** The ids of its jobs. */
  readonly jobs: readonly string[];
  /** The most keys that it keeps. It forgets some where a job has more. */
  readonly keeps?: number;
}

export interface NodeEntry extends Common {
  readonly load: () => Promise<CreateContender>;
}

/** A row of `floor/floor.c`, with the word that the program takes. */
export interface NativeEntry extends Common {
  readonly native: "keys" | "clock";
}

export type Entry = NodeEntry | NativeEntry;

const jobsOf = (table: string) => JOBS.filter(({ id }) => id.startsWith(`${table}: `)).map(({ id }) => id);

const FEW = ["hot", "thousand"];
const SMALL = [...FEW, "denied-hot", "denied-thousand"];
const KEYS = [...SMALL, "million"];
const ALL = [...KEYS, "million-new", "weight"];
const LARGE = ["million", "million-new", "weight"];
const FASTIFY = "@fastify/rate-limit";
const HANDLES = [...FEW, "million-handles"];
const TEXTS = jobsOf("texts");
const UPKEEP = "weight: upkeep";
const A_MINUTE = "refilled: a minute";
const REFILLED = jobsOf("refilled").filter((id) => id !== A_MINUTE);
const VERBS = jobsOf("verbs");
/** Rivals have no `allow` apart from `consume`. */
const THEIRS = [...VERBS.filter((id) => id !== "verbs: allow"), ...TEXTS];

/** Rows of the table of verbs, after the row with one limit. */
const SHAPES = [
  ...(["fixed window", "10 groups", "100 groups", "1,000 groups", "by function"] as const),
  ...(["made anew by function", "two by function"] as const),
  ...(["combine of two", "two units", "observer", "shadow limit"] as const),
];

const VERB_NAMES: Readonly<Partial<Record<Verb, string>>> = {
  allow: "",
  consume: "decisions",
  batches: "batches of 64",
};

const TOLLGATE: readonly NodeEntry[] = [
  tollgate({}, [...ALL, ...VERBS, ...TEXTS, ...REFILLED, A_MINUTE, UPKEEP]),
  tollgate({ clock: "coarse" }, KEYS),
  tollgate({ store: "table" }, [...ALL, ...TEXTS, ...REFILLED, UPKEEP]),
  tollgate({ store: "table", clock: "coarse" }, KEYS),
  tollgate({ shape: "two limits" }, [...FEW, ...VERBS]),
  tollgate({ store: "table", shape: "two limits" }, FEW),
  tollgate({ verb: "consume" }, [...SMALL, ...REFILLED]),
  tollgate({ store: "table", verb: "consume" }, SMALL),
  tollgate({ clock: "coarse", verb: "handles" }, HANDLES),
  tollgate({ store: "table", clock: "coarse", verb: "handles" }, HANDLES),
  tollgate({ store: "shared", clock: "coarse" }, FEW),
  tollgate({ store: "shared", clock: "coarse", verb: "handles" }, FEW),
  tollgate({ store: "table", verb: "batches" }, ["thousand", "million-batches"]),
  ...SHAPES.map((shape) => tollgate({ shape }, VERBS)),
  tollgate({ shape: "66 groups" }, ["weight"]),
];

/** With default options except for the limit, which has no default. */
const RIVAL_ENTRIES: readonly NodeEntry[] = [
  rival("rate-limiter-flexible", THEIRS),
  rival("express-rate-limit", THEIRS),
  rival("hono-rate-limiter", THEIRS),
  { ...rival("fastify-rate-limit", ["verbs: consume", ...TEXTS]), name: FASTIFY, keeps: 5_000 },
  { ...rival("fastify-rate-limit-large", []), name: `${FASTIFY}, large cache`, keeps: LARGE_CACHE, jobs: LARGE },
  rival("limiter", ["verbs: allow", ...TEXTS, ...REFILLED]),
];

const FLOORS: readonly NativeEntry[] = [
  floor("", "", "keys", [...FEW, "million"]),
  floor("-clock", ", its clock alone", "clock", FEW),
];

const NOTHING: readonly NodeEntry[] = [
  nothing("clock", "the clock alone", FEW, async () => {
    const { systemClock } = await import("tollgate");
    return () => systemClock.now() > 0;
  }),
  nothing("nothing", "the loop alone", [...FEW, "million"], async () => (key) => key.length > 0),
];

export const ENTRIES: readonly Entry[] = [...TOLLGATE, ...RIVAL_ENTRIES, ...FLOORS, ...NOTHING];

/** The ids of the rivals that keep all keys of the table. */
export function rivalsIn(table: TableId): readonly string[] {
  const asked = RIVAL_ENTRIES.filter(
    ({ jobs, keeps = Number.POSITIVE_INFINITY }) =>
      JOBS.some(({ id, passes }) => jobs.includes(id) && table in passes) && keeps >= keysIn(table),
  );
  return asked.map(({ id }) => id);
}

/** Twenty ways to call a limiter, for one process that has them all. */
export const KINDS: ReadonlyMap<string, ReturnType<typeof rowOf>> = new Map(
  [
    ...(["allow", "consume", "peek", "charge", "refund", "handles"] as const).map((verb) => ({ verb })),
    ...(["two limits", "100 groups", "by function", "two units", "shadow limit"] as const).map((shape) => ({ shape })),
    ...(["fixed window", "10 groups", "combine of two", "observer"] as const).map((shape) => {
      return { shape, verb: "consume" } as const;
    }),
    ...(["allow", "consume", "batches"] as const).map((verb) => ({ store: "table", verb }) as const),
    ...(["two limits", "fixed window"] as const).map((shape) => ({ store: "table", shape }) as const),
  ].map((given) => {
    const row = rowOf(given);
    return [row.id, row] as const;
  }),
);

function rival(id: keyof typeof RIVALS, more: readonly string[]): NodeEntry {
  const load = async () => (await import("./rivals.ts")).RIVALS[id]();
  return { id, name: id, family: "rival", jobs: [...ALL, ...more], load };
}

function floor(suffix: string, name: string, native: NativeEntry["native"], jobs: readonly string[]): NativeEntry {
  return { id: `floor${suffix}`, name: `C, such a table${name}`, family: "floor", jobs, native };
}

type Ask = (key: string) => boolean;

function nothing(id: string, name: string, jobs: readonly string[], load: () => Promise<Ask>): NodeEntry {
  const create = async (): Promise<CreateContender> => {
    const ask = await load();
    return (setup) => syncContender(setup, loopOf(ask));
  };
  return { id, name, family: "nothing", jobs, load: create };
}

function tollgate(given: Partial<Variant>, jobs: readonly string[]): NodeEntry {
  const { variant, ...row } = rowOf(given);
  return {
    ...row,
    family: "tollgate",
    jobs,
    load: async () => (await import("./tollgate.ts")).loadVariant(variant),
  };
}

/** Ids are as in `memory`, `table-coarse`, `memory-two-limits`, `table-coarse-handles`. */
function rowOf(given: Partial<Variant>) {
  const variant: Variant = { store: "memory", clock: "per call", shape: "one limit", verb: "allow", ...given };
  const { store, clock, shape, verb } = variant;
  const verbName = VERB_NAMES[verb] ?? verb;
  const [shapeName, isCoarse] = [shape === "one limit" ? "" : shape, clock === "coarse"];
  const idOf = (words: readonly string[]) => words.filter(Boolean).join("-").replaceAll(/[ ,]+/g, "-");
  return {
    variant,
    id: idOf([store, isCoarse ? clock : "", shapeName, verbName.replace(" of 64", "")]),
    name: [`Tollgate ${store}`, shapeName, verbName, isCoarse ? "coarse clock" : ""].filter(Boolean).join(", "),
  };
}
