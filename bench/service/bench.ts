import type { Bound } from "../harness/bounds.ts";
import { type Column, medianColumn, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { type Contender, compareServers, loadSetting } from "../harness/side-by-side.ts";
import { generate, type Requests } from "../harness/wrk.ts";
import { measureClients } from "./clients.ts";
import { generateCalls } from "./grpc.ts";
import { startBareGrpc, startBareServer, startGrpcService, startService } from "./processes.ts";
import { BATCH, callsOfRules, ONE_CALL } from "./scripts.ts";
import { measureStart, STARTS, type Start } from "./starts.ts";

const BARE = "a bare server";

/** What a proxy forwards of a usual request. */
const FORWARDED: Readonly<Record<string, string>> = {
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Uri": "/orders/17?full=1",
  "X-Forwarded-Host": "shop.example",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-For": "192.0.2.7",
};

/** What a table compares with its bare server. */
interface Loads {
  readonly title: string;
  readonly rows: Readonly<Record<string, { readonly name: string } & Contender>>;
}

const check = asked("/check", { headers: FORWARDED });
const decide = (script: string) => asked("/v1/decide", { script });

const LOADS: Readonly<Record<string, Loads>> = {
  check: {
    title: "`/check`",
    rows: {
      bare: { name: BARE, start: () => startBareServer("check"), load: check },
      service: { name: "the service", start: () => startService(1), load: check },
    },
  },
  decide: {
    title: "`POST /v1/decide`",
    rows: {
      bare: { name: BARE, start: () => startBareServer("decide"), load: decide(ONE_CALL) },
      service: { name: "the service", start: () => startService(1), load: decide(ONE_CALL) },
      rules: {
        name: "the service, 10,000 rules",
        start: () => startService(10_000),
        load: decide(callsOfRules(10_000)),
      },
      batch: {
        name: "the service, 100 calls a request",
        start: () => startService(1),
        load: decide(BATCH),
      },
    },
  },
  grpc: {
    title: "Envoy's protocol, 64 calls at a time on a connection",
    rows: {
      bare: { name: "a bare server", start: startBareGrpc, load: generateCalls },
      service: { name: "the service", start: startGrpcService, load: generateCalls },
    },
  },
};

function asked(path: string, requests: Omit<Requests, "url">): Contender["load"] {
  return (port, seconds) => generate({ url: `http://127.0.0.1:${port}${path}`, ...requests }, seconds);
}

const whole = (value: number) => value.toFixed(0);

const COLUMNS: readonly Column[] = [medianColumn("requests/s", "perSecond")];

const STARTS_TABLE: Table = {
  id: "start",
  title: "Cold start",
  rows: STARTS,
  columns: [medianColumn("ms until ready", "readyMs", whole)],
};

const CLIENTS_TABLE: Table = {
  id: "clients",
  title: "A million clients",
  rows: { service: "the service" },
  columns: [medianColumn("MiB in use", "mebibytes", whole)],
};

const TABLES = Object.entries(LOADS).map(([id, { title, rows }]): Table => {
  const names = Object.fromEntries(Object.entries(rows).map(([row, { name }]) => [row, name]));
  return { id, title, rows: names, columns: COLUMNS };
});

function overBare(table: string, text: string, bound: number): Bound {
  return { text, is: "≤", bound, of: `${table} / service / cpuUs`, over: `${table} / bare / cpuUs` };
}

export const BENCH: Bench = {
  name: "service",
  packages: ["tollgate"],
  tables: [...TABLES, STARTS_TABLE, CLIENTS_TABLE],
  bounds: [
    overBare("check", "processor time of a `/check`, × a bare server", 1.25),
    overBare("grpc", "processor time of a call of Envoy's protocol, × a bare server", 1.25),
    {
      text: "processor time of a decision, 10,000 rules over one",
      ...{ is: "≤", bound: 1.3, of: "decide / rules / cpuUs", over: "decide / service / cpuUs" },
    },
    { text: "ms until the service with 1,000 rules is ready", is: "≤", bound: 1_000, of: "start / rules / readyMs" },
    { text: "MiB of the service with a million clients", is: "≤", bound: 200, of: "clients / service / mebibytes" },
  ],
  async open() {
    const loads = Object.entries(LOADS).map(([table, { rows }]) => compareServers(table, "bare", rows));
    const starts = (Object.keys(STARTS) as Start[]).map((row): Task => {
      return { table: STARTS_TABLE.id, rows: [row], measure: async () => ({ [row]: await measureStart(row) }) };
    });
    const clients: Task = {
      table: CLIENTS_TABLE.id,
      rows: ["service"],
      measure: async () => ({ service: await measureClients() }),
    };
    return { tasks: [...loads, ...starts, clients], setting: await loadSetting() };
  },
};
