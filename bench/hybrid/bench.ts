import type { Bound } from "../harness/bounds.ts";
import { runChild } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { type Column, medianColumn, numberText, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { startRedis } from "../redis/server.ts";
import { measureFleet } from "./fleet.ts";
import { LOADS } from "./loads.ts";
import { LOCAL_ROWS, type LocalOrder } from "./local-calls.ts";
import type { Strategy } from "./node.ts";

const STRATEGIES: readonly Strategy[] = ["lease", "threshold", "strict"];
const MEASURED = LOADS.filter(({ id }) => ["0.95", "2", "skewed", "restarts", "zipf", "at once"].includes(id));
const ROWS = MEASURED.flatMap((load) =>
  STRATEGIES.map((strategy) => ({ id: `${load.id} ${strategy}`, load, strategy })),
);
const KEY_COUNTS = [1, 1_000] as const;

const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
const hundredths = (value: number) => value.toFixed(2);

/** A figure of one strategy, divided by that of `over` if there is one. The page has one row for each load. */
function columnOf(title: string, figure: string, strategy: Strategy, format = numberText, over?: Strategy): Column {
  const cell: Column["cell"] = (row, figuresOf) => {
    const medianOf = (one: Strategy) => figuresOf(row.replace(/\w+$/, one))[figure]?.median;
    const [value, divisor] = [medianOf(strategy), over === undefined ? 1 : medianOf(over)];
    return value === undefined || divisor === undefined ? "" : format(value / divisor);
  };
  return { title: `${title}, ${strategy}`, cell };
}

const FLEET: Table = {
  id: "fleet",
  title: "Four processes that share a limit",
  rows: Object.fromEntries(MEASURED.map(({ id, title }) => [`${id} lease`, title])),
  columns: [
    ...STRATEGIES.map((strategy) => columnOf("calls", "calls", strategy)),
    columnOf("admitted", "admitted", "lease", hundredths, "strict"),
    columnOf("admitted", "admitted", "threshold", hundredths, "strict"),
    columnOf("without I/O", "localPart", "lease", percent),
    ...STRATEGIES.map((strategy) => columnOf("p99 µs", "p99Us", strategy)),
  ],
};

const LOCAL: Table = {
  id: "local",
  title: "A call that a lease covers: ns a call",
  rows: LOCAL_ROWS,
  columns: KEY_COUNTS.map((keys) => medianColumn(`${keys.toLocaleString("en")} keys`, `${keys}`)),
};

function tasksOf(port: number, quick: boolean): Task[] {
  const fleet = ROWS.map(({ id, load, strategy }): Task => {
    const measure = async () => ({ [id]: await measureFleet(port, load, strategy, quick ? 2 : 10) });
    return { table: FLEET.id, rows: [id], measure };
  });
  const local = KEY_COUNTS.map((keys): Task => {
    const order: LocalOrder = { port, keys, rounds: quick ? 10 : 80 };
    const measure = () => runChild<Record<string, Figures>>("hybrid local", order);
    return { table: LOCAL.id, rows: Object.keys(LOCAL_ROWS), measure };
  });
  return [...fleet, ...local];
}

function mostCalls(load: string): Bound {
  return {
    text: `server calls per 1,000 decisions, ${load} × the rate`,
    is: "≤",
    bound: 50,
    of: `fleet / ${load} lease / calls`,
  };
}

export const BENCH: Bench = {
  name: "hybrid",
  packages: ["tollgate", "ioredis"],
  tables: [FLEET, LOCAL],
  bounds: [
    mostCalls("0.95"),
    mostCalls("2"),
    {
      text: "server µs a script call, 1,500 keys at once",
      is: "≤",
      bound: 2_000,
      of: "fleet / at once lease / scriptUs",
    },
  ],
  async open(quick) {
    const { port, setting, close } = await startRedis();
    return { tasks: tasksOf(port, quick), setting, close };
  },
};
