import type { Answers, Client, Processes, Protected } from "./questions.ts";

interface Numbers {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly window: string;
  /** What a client may send at once, where bursts are fine. */
  readonly burst: number;
}

/** The limit of requests, as the playground shows it. */
export const NUMBERS: Readonly<Record<Protected, Numbers>> = {
  login: { limit: 5, windowSeconds: 900, window: "15m", burst: 5 },
  api: { limit: 100, windowSeconds: 60, window: "1m", burst: 20 },
  page: { limit: 10, windowSeconds: 1, window: "1s", burst: 50 },
  llm: { limit: 60, windowSeconds: 60, window: "1m", burst: 20 },
  quota: { limit: 10, windowSeconds: 1, window: "1s", burst: 20 },
  job: { limit: 10, windowSeconds: 86_400, window: "1d", burst: 2 },
};

const KEYS: Readonly<Record<Client, readonly [expression: string, imported: readonly string[]]>> = {
  address: ["clientIp()", ["clientIp"]],
  proxied: ["clientIp({ trustProxy: 1 })", ["clientIp"]],
  key: ['firstOf(header("x-api-key"), clientIp())', ["clientIp", "firstOf", "header"]],
  account: ["", []],
};

interface StoreCode {
  readonly imports: string;
  readonly lines: (onFailure: string) => readonly string[];
}

const STORES: Readonly<Record<Processes, StoreCode | undefined>> = {
  one: undefined,
  threads: {
    imports:
      'import { isMainThread, workerData } from "node:worker_threads";\nimport { sharedStore } from "tollgate/shared";\n',
    lines: () => [
      "// Start workers with { workerData: { limits: store.handle } }.",
      "export const store = isMainThread",
      "  ? sharedStore({ maxKeys: 100_000 })",
      "  : sharedStore.attach(workerData.limits);",
    ],
  },
  redis: {
    imports: 'import { Redis } from "ioredis";\nimport { redisStore } from "tollgate/redis";\n',
    lines: (onFailure) => [
      'export const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");',
      `export const store = redisStore({ client, onFailure: ${onFailure} });`,
    ],
  },
  postgres: {
    imports: 'import pg from "pg";\nimport { postgresStore } from "tollgate/postgres";\n',
    lines: (onFailure) => [
      'export const client = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });',
      'client.on("error", (error) => console.error(error));',
      `export const store = postgresStore({ client, onFailure: ${onFailure} });`,
    ],
  },
};

const ON_FAILURE = { allow: '"allow"', deny: '"deny"', fallback: "{ fallback: memoryStore(), share: 0.25 }" };

/** Whether the store can be gone, so that the last question has a meaning. */
export function canFail({ processes }: Pick<Answers, "processes">): boolean {
  return processes === "redis" || processes === "postgres";
}

/** The program for these answers. */
export function programOf(answers: Answers): string {
  const { protects, client, processes, outage } = answers;
  const limits = limitsOf(answers);
  const [key, keyImports] = KEYS[client];
  const store = STORES[processes];
  const makers = ["fixedWindow", "slidingWindow", "tokenBucket"].filter((name) =>
    limits.some((one) => one.includes(name)),
  );
  const fallback = canFail(answers) && outage === "fallback" ? ["memoryStore"] : [];
  const adapter = [...keyImports, ...(key === "" ? [] : ["rateLimit"])].join(", ");
  return [
    `import { ${["createLimiter", ...makers, ...fallback].toSorted().join(", ")} } from "tollgate";\n`,
    adapter === "" ? "" : `import { ${adapter} } from "tollgate/node"; // or express, fastify, koa, hono, fetch\n`,
    store?.imports ?? "",
    "\n",
    store === undefined ? "" : `${store.lines(ON_FAILURE[outage]).join("\n")}\n\n`,
    "export const limiter = createLimiter({\n",
    `  name: "${protects}",\n`,
    key === "" ? "" : `  key: ${key},\n`,
    `  limits: [\n${limits.map((limit) => `    ${limit},\n`).join("")}  ],\n`,
    store === undefined ? "" : "  store,\n",
    "});\n",
    key === "" ? call(answers) : `export const limit = rateLimit({ limiter${costOf(protects)} });\n`,
  ].join("");
}

function limitsOf({ protects, bursts }: Answers): string[] {
  const { limit, window, burst } = NUMBERS[protects];
  const requests =
    bursts === "yes"
      ? `tokenBucket({ capacity: ${burst}, refill: ${limit}, per: "${window}" })`
      : `slidingWindow({ limit: ${limit}, window: "${window}" })`;
  switch (protects) {
    case "llm":
      return [requests, 'tokenBucket({ capacity: 20_000, refill: 100_000, per: "1m", unit: "tokens" })'];
    case "quota":
      return [requests, 'fixedWindow({ limit: 10_000, window: "month", timeZone: "Europe/Berlin" })'];
    default:
      return [requests];
  }
}

function costOf(protects: Protected): string {
  return protects === "llm" ? ", cost: { requests: 1, tokens: 500 }" : "";
}

/** Without an adapter the program asks by itself. */
function call({ protects, processes }: Answers): string {
  const isSync = processes === "one" || processes === "threads";
  const cost = protects === "llm" ? ", { requests: 1, tokens: 500 }" : "";
  return `\nexport const decision = ${isSync ? "" : "await "}limiter.consume("ann"${cost});\n`;
}
