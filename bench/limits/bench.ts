import { runChild } from "../harness/child-process.ts";
import { medianColumn, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { type Target, target } from "../harness/targets.ts";
import { LOADING_ROWS, type LoadingOrder, type LoadingRow } from "./loading.ts";
import { MATCHING_KINDS, type MatchingKind, type MatchingOrder } from "./matching.ts";

const CHILD_OPTIONS = { flags: [], timeoutMs: 120_000 };

/** How many rules a file has, by the ids of the tables. */
const COUNTS = { "rules-10": 10, "rules-10000": 10_000 } as const;

const KINDS = Object.keys(MATCHING_KINDS) as MatchingKind[];
const CHUNKS = 400;

function matchingTasks(chunks: number): Task[] {
  return KINDS.flatMap((kind) =>
    Object.entries(COUNTS).map(([table, rules]): Task => {
      const order: MatchingOrder = { kind, rules, table, chunks };
      const measure = () => runChild<Measured[]>("limits matching", order, CHILD_OPTIONS);
      return { name: `matching: ${table} / ${kind}`, group: kind, measure };
    }),
  );
}

function loadingTasks(): Task[] {
  return (Object.keys(LOADING_ROWS) as LoadingRow[]).map((row) => {
    const order: LoadingOrder = { row };
    const measure = () => runChild<Measured[]>("limits loading", order, CHILD_OPTIONS);
    return { name: `loading: ${row}`, group: "loading", measure };
  });
}

const MATCHING_TABLES = Object.entries(COUNTS).map(
  ([id, rules]): Table => ({
    id,
    title: `\`consume\` with ${rules.toLocaleString("en")} rules`,
    rows: KINDS,
    columns: [
      textColumn("the rules differ in", (row) => MATCHING_KINDS[row as MatchingKind]),
      medianColumn("ns", "ns"),
      rangeColumn("ns"),
    ],
  }),
);

const LOADING_TABLE: Table = {
  id: "loading",
  title: "A file of 10,000 rules",
  rows: Object.keys(LOADING_ROWS),
  columns: [textColumn("what", (row) => LOADING_ROWS[row as LoadingRow]), medianColumn("ms", "ms"), rangeColumn("ms")],
};

const TARGETS: readonly Target[] = [
  ...KINDS.map((kind) =>
    target(
      `10,000 rules over 10, ${MATCHING_KINDS[kind]}`,
      "≤ 1.3 × the time",
      `rules-10000 / ${kind}`,
      `rules-10 / ${kind}`,
    ),
  ),
  target("the event loop is blocked by a reload of 10,000 rules", "≤ 50 ms", "loading / steps / ms"),
];

export const BENCH: Bench = {
  name: "bench-limits",
  packages: ["tollgate", "yaml"],
  method: "by round",
  sections: { matching: MATCHING_TABLES, loading: [LOADING_TABLE] },
  targets: TARGETS,
  async open(quick) {
    return { tasks: [...matchingTasks(quick ? CHUNKS / 4 : CHUNKS), ...loadingTasks()], setting: {} };
  },
};
