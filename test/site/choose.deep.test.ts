import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LimitStatus } from "tollgate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PostgresServer } from "../../packages/tollgate/test/stores/postgres/servers/start-postgres.ts";
import type { RedisServer } from "../../packages/tollgate/test/stores/redis/servers/redis-server.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { canFail, NUMBERS, programOf } from "../../site/choose/program.ts";
import { type Answers, QUESTIONS } from "../../site/choose/questions.ts";
import { remove } from "../support/temporary-folder.ts";

/** What the programs export. */
interface Program {
  readonly limiter: {
    consume(input: unknown, cost: unknown): Verdict | Promise<Verdict>;
    explain(input: unknown, cost: unknown): LimitStatus[] | Promise<LimitStatus[]>;
  };
  readonly decision?: { readonly allowed: boolean };
  readonly store?: { bypass: boolean; close?(): Promise<void> | void };
  readonly client?: { disconnect?(): void; end?(): Promise<void> };
}
interface Verdict {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly degraded?: string;
}

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
mkdirSync(join(REPOSITORY, "site/.generated"), { recursive: true });
const folder = mkdtempSync(join(REPOSITORY, "site/.generated/choose-"));

/** All answers, one for each program: those to a question that does not apply write the same one. */
const programs = new Map<string, Answers>();
for (const protects of namesOf("protects"))
  for (const client of namesOf("client"))
    for (const bursts of namesOf("bursts"))
      for (const processes of namesOf("processes"))
        for (const outage of namesOf("outage")) {
          const answers = { protects, client, bursts, processes, outage };
          programs.set(programOf(answers), answers);
        }

function namesOf<Name extends keyof Answers>(name: Name): Answers[Name][] {
  return Object.keys(QUESTIONS[name].answers) as Answers[Name][];
}

const all = [...programs].map(([code, answers], index) => ({ code, answers, file: join(folder, `${index}.ts`) }));

let redis: RedisServer;
let postgres: PostgresServer;
beforeAll(async () => {
  for (const { file, code } of all) writeFileSync(file, code);
  const config = { extends: "../../../tsconfig.tests.json", include: ["*.ts"], references: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  [redis, postgres] = await Promise.all([startRedis(), PostgresServer.start()]);
  vi.stubEnv("REDIS_URL", `redis://127.0.0.1:${redis.port}`);
  vi.stubEnv("DATABASE_URL", `postgres://tollgate@127.0.0.1:${postgres.port}/postgres`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  remove(folder);
  await Promise.all([redis.stop(), postgres.stop()]);
});

const facts = (remoteAddress: string, headers: Record<string, string>) => ({
  method: "GET",
  path: "/",
  remoteAddress,
  header: (name: string) => headers[name],
});
/** A client of its own for each program: programs of one name share a server. */
function clientOf(answers: Answers, index: number): { readonly input: unknown; readonly key: string } {
  const suffix = `${index >> 8}.${index & 255}`;
  const input = facts(`198.18.${suffix}`, {
    "x-forwarded-for": `6.6.6.6, 198.19.${suffix}`,
    "x-api-key": `k-${index}`,
  });
  switch (answers.client) {
    case "address":
      return { input, key: `198.18.${suffix}` };
    case "proxied":
      return { input, key: `198.19.${suffix}` };
    case "key":
      return { input, key: `0:k-${index}` };
    case "account":
      return { input: `bob-${index}`, key: `bob-${index}` };
    default:
      return answers.client satisfies never;
  }
}

describe("the programs of Choose your limit", () => {
  it("are one for each combination of answers that differs", () => {
    // 6 × 4 × 2 combinations in a process or in threads, and three times as many over each store that can be gone.
    expect(all).toHaveLength(48 * 2 + 48 * 3 * 2);
  });

  it("compile", () => {
    const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it.each(namesOf("processes"))("run in %s, and admit, name clients and fail as answered", async (processes) => {
    for (const [index, { answers, file }] of all.entries()) {
      if (answers.processes !== processes) continue;
      const program = (await import(file)) as Program;
      try {
        expect({ answers, ...(await seenOf(program, answers, index)) }).toEqual({
          answers,
          ...expectedOf(answers, index),
        });
      } finally {
        await program.store?.close?.();
        program.client?.disconnect?.();
        await program.client?.end?.();
      }
    }
  });
});

/** The calls that pass at once by the limit of requests. */
function atOnce({ protects, bursts }: Answers): number {
  return bursts === "yes" ? NUMBERS[protects].burst : NUMBERS[protects].limit;
}

async function seenOf({ limiter, decision, store }: Program, answers: Answers, index: number): Promise<object> {
  const { input } = clientOf(answers, index);
  const costOf = (requests: number) => (answers.protects === "llm" ? { requests, tokens: 1 } : requests);
  const most = await limiter.consume(input, costOf(atOnce(answers)));
  const more = await limiter.consume(input, costOf(atOnce(answers) + 1));
  const [status] = await limiter.explain(input, 0);
  const gone: Verdict[] = [];
  if (canFail(answers) && store !== undefined) {
    store.bypass = true;
    // A client whose quota is whole. A fallback has a quarter of it, and at least one unit.
    const other = clientOf(answers, index + all.length).input;
    for (const requests of [1, atOnce(answers)]) gone.push(await limiter.consume(other, costOf(requests)));
  }
  return {
    asked: typeof decision?.allowed,
    most: most.allowed,
    more: more.reason,
    key: status?.key,
    gone: gone.map(({ allowed }) => allowed),
    degraded: gone.map(({ degraded }) => degraded),
  };
}

const GONE = { allow: [true, true], deny: [false, false], fallback: [true, false] };

function expectedOf(answers: Answers, index: number): object {
  return {
    // Over a server the programs of one name share the quota of the client that they ask for.
    asked: answers.client === "account" ? "boolean" : "undefined",
    most: true,
    more: "cost-over-capacity",
    key: clientOf(answers, index).key,
    gone: canFail(answers) ? GONE[answers.outage] : [],
    degraded: canFail(answers) ? ["bypassed", "bypassed"] : [],
  };
}
