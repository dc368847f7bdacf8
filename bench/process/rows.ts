import { type CreateContender, callContender } from "./contender.ts";
import { RIVALS } from "./rivals.ts";
import type { TableId } from "./tables.ts";
import type { Variant } from "./tollgate.ts";

/** A contender and the tables that have a row of it. */
export interface Row {
  readonly name: string;
  readonly tables: readonly TableId[];
  /** Each process loads one row. */
  readonly load: () => Promise<CreateContender>;
}

const SMALL: readonly TableId[] = ["hot", "thousand"];
const ADMITTED: readonly TableId[] = [...SMALL, "million"];
const ALL: readonly TableId[] = [...ADMITTED, "denied", "weight"];

const RIVAL_NAMES: Readonly<Record<keyof typeof RIVALS, string>> = {
  "rate-limiter-flexible": "rate-limiter-flexible",
  "express-rate-limit": "express-rate-limit",
  "hono-rate-limiter": "hono-rate-limiter",
  "fastify-rate-limit": "@fastify/rate-limit, a cache for a million keys",
  limiter: "limiter, a bucket for each key in a `Map`",
};

export const RIVAL_IDS = Object.keys(RIVAL_NAMES) as readonly (keyof typeof RIVALS)[];

/** In the order of the page. */
export const ROWS: Readonly<Record<string, Row>> = {
  memory: tollgate("Tollgate memory", ALL, { store: "memory", verb: "allow" }),
  "memory-coarse": tollgate("Tollgate memory, coarse clock", SMALL, {
    store: "memory",
    verb: "allow",
    clock: "coarse",
  }),
  "memory-handle": tollgate("Tollgate memory, by handle", SMALL, { store: "memory", verb: "handle" }),
  "memory-consume": tollgate("Tollgate memory, `consume`", ALL.slice(0, 4), { store: "memory", verb: "consume" }),
  table: tollgate("Tollgate table", ALL, { store: "table", verb: "allow" }),
  "table-batch": tollgate("Tollgate table, batches of 64", ADMITTED, { store: "table", verb: "batch" }),
  "table-consume": tollgate("Tollgate table, `consume`", ADMITTED, { store: "table", verb: "consume" }),
  shared: tollgate("Tollgate shared, one thread", SMALL, { store: "shared", verb: "allow" }),
  ...Object.fromEntries(RIVAL_IDS.map((id) => [id, { name: RIVAL_NAMES[id], tables: ALL, load: RIVALS[id] }])),
  nothing: { name: "the loop alone", tables: ["hot", "million"], load: loadNothing },
};

export function rowOf(id: string): Row {
  const row = ROWS[id];
  if (row === undefined) throw new Error(`expected a row, got ${id}`);
  return row;
}

function tollgate(name: string, tables: readonly TableId[], variant: Variant): Row {
  return { name, tables, load: async () => (await import("./tollgate.ts")).loadVariant(variant) };
}

async function loadNothing(): Promise<CreateContender> {
  return (setup) => callContender(setup, (key) => key.length > 0);
}
