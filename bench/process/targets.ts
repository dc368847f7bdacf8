import { type Target, target } from "../harness/targets.ts";
import { rivalsIn } from "./catalog.ts";
import { KEY_COUNTS, type TableId } from "./jobs.ts";

// Paths of figures that are both in targets and guarded: nanoseconds a decision.

const KEYS = { hot: "1 hot key", thousand: "1,000 keys", million: "1,000,000 keys" } as const;
const SMALL = ["hot", "thousand"] as const;
export const FLEXIBLE = "rate-limiter-flexible";
export const HANDLE = "million-in-turn / memory-coarse-handles, table-coarse-handles";
export const BATCH = "million / table-batches";

/** `allow` in the faster store. With a million keys, in the table store. */
export function allowIn(table: TableId, suffix: "" | "-coarse" = ""): string {
  return `${table} / ${table === "million" ? "" : `memory${suffix}, `}table${suffix}`;
}

export function rivalsAt(table: TableId, without?: string): string {
  return `${table} / ${rivalsIn(table)
    .filter((id) => id !== without)
    .join(", ")}`;
}

/** Whom `allow` is to beat how many times, with a reading of the clock per call and with the coarse clock. */
const LEAST = [
  ["the fastest rival", rivalsAt, { hot: [1.3, 2.5], thousand: [1.5, 2.5], million: [5, 5.5] }],
  [FLEXIBLE, (table: TableId) => `${table} / ${FLEXIBLE}`, { hot: [5, 8], thousand: [5, 8], million: [7, 8] }],
] as const;

/** Times that of one plain limit. */
const SHAPES = { "by function": 1.5, "combine of two": 2.5, "two units": 1.8, observer: 2, "shadow limit": 1.5 };

export const TARGETS: readonly Target[] = [
  ...LEAST.flatMap(([whom, pathOf, least]) =>
    (["hot", "thousand", "million"] as const).flatMap((table): Target[] => {
      const text = `\`allow\` over ${whom}, ${KEYS[table]}`;
      const [perCall, coarse] = least[table];
      return [
        target(text, `≥ ${perCall} × faster`, pathOf(table), allowIn(table)),
        target(`${text}, coarse clock`, `≥ ${coarse} × faster`, pathOf(table), allowIn(table, "-coarse")),
      ];
    }),
  ),
  ...SMALL.flatMap((table) =>
    ["memory", "table"].map((store) => {
      const text = `two limits over one, the same key, ${KEYS[table]}, ${store}`;
      return target(text, "≤ 1.3 × the time", `${table} / ${store}-two-limits`, `${table} / ${store}`);
    }),
  ),
  target("through a handle, 1,000,000 keys in turn, coarse clock", "≤ 25 ns", HANDLE),
  target("a batch of 64 over the fastest rival, 1,000,000 keys, table", "≥ 10 × faster", rivalsAt("million"), BATCH),
  ...SMALL.map((table) => {
    const [text, denied] = [`a denial over ${FLEXIBLE}'s, ${KEYS[table]}`, `denied-${table}`] as const;
    return target(text, "≥ 15 × faster", `${denied} / ${FLEXIBLE}`, allowIn(denied));
  }),
  target("bytes a key at 1,000,000 keys, memory", "≤ 110 bytes", "weight / memory / bytesPerKey"),
  target("bytes a key at 1,000,000 keys, table", "≤ 50 bytes", "weight / table / bytesPerKey"),
  target("worst call while 1,000,000 keys come in, table", "≤ 4 ms", "weight / table / worstStallMs"),
  ...SMALL.flatMap((table) => {
    const [consume, ours] = ["`consume` over", `${table} / memory-decisions, table-decisions`];
    const tellers = rivalsAt(table, "limiter");
    return [
      ...["memory", "table"].map((store) => {
        const text = `${consume} \`allow\`, ${KEYS[table]}, ${store}`;
        return target(text, "≤ 1.6 × the time", `${table} / ${store}-decisions`, `${table} / ${store}`);
      }),
      target(`${consume} the fastest rival that tells as much, ${KEYS[table]}`, "≥ 1 × faster", tellers, ours),
      target(`${consume} ${FLEXIBLE}, ${KEYS[table]}`, "≥ 3.5 × faster", `${table} / ${FLEXIBLE}`, ours),
    ];
  }),
  ...Object.entries({ "`allow`": "memory", "`consume`": "memory-decisions" }).flatMap(([verb, row]) =>
    KEY_COUNTS.map((keys) => {
      const text = `${verb}, full again over busy, ${keys.toLocaleString("en")} keys`;
      const at = `refilled / ${row} / ${keys}`;
      return target(text, "≤ 1.25 × the time", `${at}, full again`, `${at}, busy`);
    }),
  ),
  target(
    "`peek` under a sliding window of 1,000 groups over 10 groups",
    "≤ 1.3 × the time",
    "verbs / memory-1-000-groups / peek",
    "verbs / memory-10-groups / peek",
  ),
  target("`charge` over `consume`", "≤ 1 × the time", "verbs / memory / charge", "verbs / memory / consume"),
  target("twenty kinds at once over each alone, the mean", "≤ 1.3 × the time", "kinds / mean / times"),
  target("twenty kinds at once over each alone, the worst", "≤ 1.3 × the time", "kinds / worst / times"),
  ...Object.entries(SHAPES).flatMap(([shape, most]) =>
    ["allow", "consume"].map((verb) => {
      const row = `memory-${shape.replaceAll(" ", "-")}`;
      const text = `${shape} over one plain limit, \`${verb}\`, 1,000 keys`;
      return target(text, `≤ ${most} × the time`, `verbs / ${row} / ${verb}`, `verbs / memory / ${verb}`);
    }),
  ),
  target("worst call while 1,000,000 keys of 66 groups come in", "≤ 2 ms", "weight / memory-66-groups / worstStallMs"),
  target("sweep of a table for 10,000,000 keys with 1,000 in it", "≤ 2 ms", "weight / table / sweep"),
  target("clear of a table for 10,000,000 keys with 1,000 in it", "≤ 2 ms", "weight / table / clear"),
  ...["memory", "table"].flatMap((store) =>
    Object.entries({ "IPv6 /64": 1.2, "200 characters": 2 }).map(([keys, most]) => {
      const text = `keys of ${keys} over IPv4 keys, 1,000 keys, ${store}`;
      return target(text, `≤ ${most} × the time`, `texts / ${store} / ${keys}`, `texts / ${store} / IPv4`);
    }),
  ),
  target(
    "`allow` less the clock over such a table in C less its clock, 1 hot key",
    "≤ 2 × the time",
    "hot / memory, table less clock",
    "hot / floor less floor-clock",
  ),
];
