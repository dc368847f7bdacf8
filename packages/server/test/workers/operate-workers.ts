import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { faults, pointerOf } from "../operations/admin-description.ts";
import { type Answer, call } from "../support/call.ts";
import { type CommandProcess, startServing } from "../support/command-process.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile, type TestLimitsFile } from "../support/limits-file.ts";
import { startRedis } from "../support/redis-process.ts";

const TOKEN = "writer-0123456789";

export type Body = Readonly<Record<string, unknown>>;

export interface OperatedAnswer {
  readonly status: number | undefined;
  readonly etag: string;
  readonly body: Body;
}

export interface OperatedWorkers {
  readonly command: CommandProcess;
  readonly file: TestLimitsFile;
  readonly url: string;
  readonly adminUrl: string;
  /** A call of the admin listener. */
  operate(
    method: string,
    path: string,
    body?: string | Body,
    headers?: Readonly<Record<string, string>>,
  ): Promise<OperatedAnswer>;
  /** Asks the workers in turn for a request, over so many connections. */
  decide(facts: Body, times: number): Promise<readonly Body[]>;
  /** The audit log. */
  audited(): readonly Body[];
  metrics(): Promise<readonly string[]>;
}

/** Answers are as `docs/openapi-admin.yaml` says. */
function checkDescribed(method: string, path: string, status: number | undefined, body: Body): void {
  const route = path.replace(/[?].*/, "").replace(/^\/v1\/rules\/[^/]+/, "/v1/rules/{rule}");
  if (route === "/healthz") return;
  expect(faults(`${pointerOf(route, method.toLowerCase())}/responses/${status}`, body)).toEqual([]);
}

/** A service of two workers, with an admin listener that has a token. */
export async function startOperatedWorkers(
  text: string,
  store: "redis" | "memory" = "redis",
): Promise<OperatedWorkers> {
  const redis = store === "redis" ? ["--redis", (await startRedis()).url] : [];
  const file = await limitsFile(text);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-token-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tokens = join(folder, "tokens");
  await writeFile(tokens, `${TOKEN} ann\n`);
  const flags = ["--limits", file.path, ...redis, "--workers", "2", "--log-format", "json"];
  const { command } = await startServing([...flags, "--admin-port", "0", "--admin-token-file", tokens]);
  const lines = (): Body[] =>
    command.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Body);
  const urlOf = (event: string): string => String(lines().find((line) => line["event"] === event)?.["url"]);
  const [url, adminUrl] = [urlOf("listening"), urlOf("admin-listening")];
  const authorization = `Bearer ${TOKEN}`;
  return {
    command,
    file,
    url,
    adminUrl,
    operate: async (method, path, body, headers = {}) => {
      const sent = typeof body === "object" ? JSON.stringify(body) : body;
      const type = typeof body === "string" ? "application/yaml" : "application/json";
      const answer: Answer = await call(adminUrl + path, {
        method,
        headers: { authorization, ...(sent !== undefined && { "content-type": type }), ...headers },
        ...(sent !== undefined && { body: sent }),
      });
      const told = JSON.parse(answer.body) as Body;
      checkDescribed(method, path, answer.status, told);
      return { status: answer.status, etag: String(answer.headers.etag), body: told };
    },
    decide: async (facts, times) => {
      const body = JSON.stringify({ domain: "api", facts });
      const answers: Body[] = [];
      while (answers.length < times) {
        answers.push(
          JSON.parse((await call(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body })).body) as Body,
        );
      }
      return answers;
    },
    audited: () => lines().filter(({ event }) => event === "audit"),
    metrics: async () => (await call(`${adminUrl}/metrics`, { headers: { authorization } })).body.split("\n"),
  };
}
