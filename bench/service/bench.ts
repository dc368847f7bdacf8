import type { Bound } from "../harness/bounds.ts";
import type { Figures } from "../harness/figures.ts";
import { type Column, medianColumn, type Table, timesColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { measureLoad, type ServerProcess } from "../harness/server-process.ts";
import { FULL, generate, type Load, loadText, QUICK, type Requests } from "../harness/wrk.ts";
import { withBareServer, withService } from "./processes.ts";
import { BATCH, callsOfRules, ONE_CALL } from "./scripts.ts";
import { measureStart, STARTS, type Start } from "./starts.ts";

const BARE = "a bare server that decides nothing";

type Use = (server: ServerProcess) => Promise<Figures>;
type Measure = (load: Load) => Promise<Figures>;

interface LoadRow {
  readonly name: string;
  readonly measure: Measure;
}

/** What a proxy forwards of a usual request. */
const FORWARDED: Readonly<Record<string, string>> = {
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Uri": "/orders/17?full=1",
  "X-Forwarded-Host": "shop.example",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-For": "192.0.2.7",
};

const check = asked("/check", { headers: FORWARDED });
const decide = (script: string) => asked("/v1/decide", { script });

/** Tables of loads: the first row is the one that others are compared with. */
const LOADS: Readonly<Record<string, { readonly title: string; readonly rows: Readonly<Record<string, LoadRow>> }>> = {
  check: {
    title: "`/check`, as a proxy asks",
    rows: {
      bare: { name: BARE, measure: (load) => withBareServer("check", check(load)) },
      service: { name: "the service", measure: (load) => withService(1, check(load)) },
    },
  },
  decide: {
    title: "`POST /v1/decide`",
    rows: {
      bare: { name: BARE, measure: (load) => withBareServer("decide", decide(ONE_CALL)(load)) },
      service: { name: "the service", measure: (load) => withService(1, decide(ONE_CALL)(load)) },
      rules: {
        name: "the service, 10,000 rules",
        measure: (load) => withService(10_000, decide(callsOfRules(10_000))(load)),
      },
      batch: {
        name: "the service, a hundred calls in a request",
        measure: (load) => withService(1, decide(BATCH)(load)),
      },
    },
  },
};

function asked(path: string, requests: Omit<Requests, "url">): (load: Load) => Use {
  return (load) => (server) => {
    const url = `http://127.0.0.1:${server.port}${path}`;
    return measureLoad(server, load, (seconds) => generate({ url, ...requests }, load.connections, seconds));
  };
}

const twoDigits = (value: number) => value.toFixed(2);
const whole = (value: number) => value.toFixed(0);

const COLUMNS: readonly Column[] = [
  medianColumn("requests/s", "perSecond"),
  timesColumn("× bare", "perSecond", () => ["bare"]),
  medianColumn("p50 ms", "p50Ms", twoDigits),
  medianColumn("p99 ms", "p99Ms", twoDigits),
  medianColumn("processor µs each", "cpuUs"),
];

const STARTS_TABLE: Table = {
  id: "start",
  title: "Cold start",
  rows: STARTS,
  columns: [medianColumn("ms until ready", "readyMs", whole)],
};

const TABLES = Object.entries(LOADS).map(([id, { title, rows }]): Table => {
  const names = Object.fromEntries(Object.entries(rows).map(([row, { name }]) => [row, name]));
  return { id, title, rows: names, columns: COLUMNS };
});

function tasksOf(load: Load): Task[] {
  const loads = Object.entries(LOADS).flatMap(([table, { rows }]) =>
    Object.entries(rows).map(([row, { measure }]): Task => {
      return { table, rows: [row], measure: async () => ({ [row]: await measure(load) }) };
    }),
  );
  const starts = (Object.keys(STARTS) as Start[]).map((row): Task => {
    return { table: STARTS_TABLE.id, rows: [row], measure: async () => ({ [row]: await measureStart(row) }) };
  });
  return [...loads, ...starts];
}

function overBare(table: string, text: string, bound: number): Bound {
  return { text, is: "≤", bound, of: `${table} / service / cpuUs`, over: `${table} / bare / cpuUs` };
}

export const BENCH: Bench = {
  name: "service",
  packages: ["tollgate"],
  tables: [...TABLES, STARTS_TABLE],
  bounds: [
    overBare("check", "processor time of a `/check`, × a bare server", 1.25),
    {
      text: "processor time of a decision, 10,000 rules over one",
      ...{ is: "≤", bound: 1.3, of: "decide / rules / cpuUs", over: "decide / service / cpuUs" },
    },
    { text: "ms until the service with 1,000 rules is ready", is: "≤", bound: 1_000, of: "start / rules / readyMs" },
  ],
  async open(quick) {
    const load = quick ? QUICK : FULL;
    return { tasks: tasksOf(load), setting: { load: await loadText(load) } };
  },
};
