import { medianColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import { target } from "../harness/targets.ts";
import { filesOfRules, ONE_RULE, withFiles } from "./limits-files.ts";
import { type Figures, measureLoad, type Plan, Started } from "./measure.ts";
import { BARE, loadColumns, type Part } from "./part.ts";
import { type ServerProcess, startBare, startLimits } from "./processes.ts";
import { addressOf, batchOf, callsOfClients, callsOfRules, ONE_CALL } from "./scripts.ts";

const ASKED = {
  bare: BARE,
  single: "the service",
  "bare batch": "a bare server, a hundred calls in a request",
  batch: "the service, a hundred calls in a request",
} as const;
type Asked = keyof typeof ASKED;

/** By their number. */
const RULES = { 10: "10 rules", 100: "100 rules", 10000: "10,000 rules", 100000: "100,000 rules in ten domains" };
const CLIENTS = { 1: "one client", 1000000: "1,000,000 clients, by chance" };

const BATCH = 100;
const MIB = 2 ** 20;

/** `POST /v1/decide`. */
export const DECISIONS: Part = {
  tables: [
    {
      id: "decide",
      title: "`POST /v1/decide`",
      rows: Object.keys(ASKED),
      columns: loadColumns("answers", ASKED, (row) => (row.includes("batch") ? "bare batch" : "bare")),
    },
    {
      id: "rules",
      title: "`POST /v1/decide` with many rules",
      rows: Object.keys(RULES),
      columns: loadColumns("a file of", RULES, () => "10"),
    },
    {
      id: "clients",
      title: "`POST /v1/decide` with many clients",
      rows: Object.keys(CLIENTS),
      columns: [...loadColumns("calls of", CLIENTS, () => "1"), medianColumn("MiB in all", "mebibytes")],
    },
  ],
  targets: [
    target(
      "a batch of 100 decisions over one, by processor time",
      "≤ 12",
      "decide / batch / cpuUsPerRequest",
      "decide / single / cpuUsPerRequest",
    ),
    target(
      "10,000 rules over 10, by processor time",
      "≤ 1.3",
      "rules / 10000 / cpuUsPerRequest",
      "rules / 10 / cpuUsPerRequest",
    ),
    target("the process with 1,000,000 clients", "≤ 200 MiB", "clients / 1000000 / mebibytes"),
  ],
  tasks: (plan) => [
    ...tasksOf("decide", Object.keys(ASKED), (row) => measureAsked(row as Asked, plan)),
    ...tasksOf("rules", Object.keys(RULES), (row) => measureRules(Number(row), plan)),
    ...tasksOf("clients", Object.keys(CLIENTS), (row) => measureClients(Number(row), plan)),
  ],
};

function tasksOf(table: string, rows: readonly string[], measure: (row: string) => Promise<Figures>): Task[] {
  return rows.map((row) => ({
    name: `${table}, ${row}`,
    group: table,
    measure: async () => [{ table, row, figures: await measure(row) }],
  }));
}

function measureAsked(row: Asked, plan: Plan): Promise<Figures> {
  const script = row.includes("batch") ? batchOf(BATCH) : ONE_CALL;
  if (row.startsWith("bare")) return measureDecisions(startBare("decide"), script, plan);
  return withFiles([ONE_RULE], (limits) => measureDecisions(startLimits(limits), script, plan));
}

function measureRules(rules: number, plan: Plan): Promise<Figures> {
  const script = callsOfRules(Math.min(rules, 10_000));
  return withFiles(filesOfRules(rules), (limits) => measureDecisions(startLimits(limits), script, plan));
}

function measureClients(clients: number, plan: Plan): Promise<Figures> {
  const prepare = (server: ServerProcess) => askForEach(server, clients);
  return withFiles([ONE_RULE], (limits) =>
    measureDecisions(startLimits(limits), callsOfClients(clients), plan, prepare),
  );
}

async function measureDecisions(
  starting: Promise<ServerProcess>,
  script: string,
  plan: Plan,
  prepare?: (server: ServerProcess) => Promise<void>,
): Promise<Figures & { readonly mebibytes: number }> {
  const started = new Started();
  try {
    const server = await started.add(starting);
    await prepare?.(server);
    const figures = await measureLoad(server, { url: urlOf(server), script }, plan);
    return { ...figures, mebibytes: (await server.memoryBytes()) / MIB };
  } finally {
    await started.stop();
  }
}

function urlOf({ port }: ServerProcess): string {
  return `http://127.0.0.1:${port}/v1/decide`;
}

/** One call of each client. @throws Error when one is not admitted. */
async function askForEach(server: ServerProcess, clients: number): Promise<void> {
  for (let first = 0; first < clients; first += BATCH) {
    const count = Math.min(BATCH, clients - first);
    const requests = Array.from({ length: count }, (_, i) => {
      return { domain: "api", facts: { ip: addressOf(first + i), method: "GET", path: "/orders/17" } };
    });
    const answer = await fetch(urlOf(server), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ requests }),
    });
    const { results } = (await answer.json()) as { results: readonly { allowed?: boolean }[] };
    if (!results.every(({ allowed }) => allowed)) throw new Error("expected every client to be admitted");
  }
}
