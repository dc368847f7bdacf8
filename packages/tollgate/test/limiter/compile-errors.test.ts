import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));
const FOLDER = join(REPOSITORY, "packages/tollgate/test/limiter/.generated", String(process.pid));
const TYPESCRIPT = join(REPOSITORY, "node_modules/typescript/bin/tsc");

/** The code before each mistake. */
const PRELUDE = `
import { combine, createLimiter, type Duration, fixedWindow, type Limiter, memoryStore, perMinute } from "tollgate";
import { slidingWindow, tokenBucket } from "tollgate";
import { rateLimit as express } from "tollgate/express";
import type { RateLimitPluginOptions } from "tollgate/fastify";
import { rateLimit as fetching } from "tollgate/fetch";
import { rateLimit as hono } from "tollgate/hono";
import { rateLimit as koa } from "tollgate/koa";
import { clientIp, type HttpFacts, rateLimit as node } from "tollgate/node";
import { tableStore } from "tollgate/table";
import { storeContract } from "tollgate/testing";
interface User { id: string; maybe?: string; born: Date }
const limits = [perMinute(3)];
const key = (user: User) => user.id;
export const perKey = createLimiter({ limits, store: memoryStore() });
export const perRequest = createLimiter({ key: clientIp(), limits });
export const both = combine(perRequest, createLimiter({ key: (facts: HttpFacts) => facts.path, limits }));
declare const byUser: Limiter<{ user: string }>;
declare const byRoute: Limiter<{ route: string }>;
declare const byUserNumber: Limiter<{ user: number }>;
declare const byText: Limiter<string>;
declare const perMaybe: Limiter<string | undefined>;
declare const byNumber: Limiter<number>;
export const userAndRoute: Limiter<{ user: string } & { route: string }> = combine(byUser, byRoute);
export const list: Limiter<string> = combine(...[byText, byText]);
export const weeks: Duration[] = ["1w", "2w3d", "1w30m", "1w1d1h1m1s1ms", 5];
export const one = createLimiter({ key: () => "all", limits });
express({ limiter: one });
express({ limiter: perKey, input: async (request) => request.baseUrl, cost: (request) => request.url.length });
koa({ limiter: combine(one, both) });
node({ limiter: one });
fetching({ limiter: perKey, input: (request: Request & { user: string }) => request.user });
hono({ limiter: byUser, input: (context) => ({ user: context.req.path }), headers: "draft-7" });
export const cache = new Map<string, Promise<string>>();
`;

/** A mistake, the code that the error points at, and its message. */
type Mistake = readonly [what: string, code: string, place: string, message: string];

/** In front of requests: what `perKey` and `byUser` lack. */
const NEEDS_KEY = "expected a limiter with a `key` of requests, such as `key: clientIp()`";
const ONE_KIND = "combine takes limiters with one kind of input";

/** A window is a unit of the calendar or a duration. */
const WINDOWS = `not assignable to type '"day" | "month" | "week" | "year" | (Duration`;

const MISTAKES: readonly Mistake[] = [
  ["a store by its name", `createLimiter({ limits, store: "redis" })`, "store:", "'string' is not assignable to type"],
  [
    "one limit without a list",
    "createLimiter({ limits: perMinute(3) })",
    "limits:",
    "'TokenBucketLimit' is not assignable to type",
  ],
  ["no limits", "createLimiter({ key })", "{ key }", "Property 'limits' is missing"],
  [
    "a clock that is a function",
    "createLimiter({ limits, clock: Date.now })",
    "clock:",
    "not assignable to type 'Clock'",
  ],
  [
    "a key that may be missing",
    "createLimiter({ key: (user: User) => user.maybe, limits })",
    "key:",
    "'undefined' is not",
  ],
  [
    "a tuple with a part that may be missing",
    "createLimiter({ key: (user: User) => [user.id, user.maybe], limits })",
    "key:",
    "'undefined' is not assignable to type 'KeyPart'",
  ],
  ["a key that is no function", `createLimiter({ key: "ip", limits })`, "key:", "'string' is not assignable to type"],
  [
    "clientIp that is not called",
    "createLimiter({ key: clientIp, limits })",
    "key:",
    "'KeyOf' is not assignable to type",
  ],
  [
    "limits for an input without a key",
    `createLimiter({ limits: (user: User) => (user.id === "" ? "deny" : limits) })`,
    "{ limits",
    "Property 'key' is missing",
  ],
  [
    "limits that may be undefined",
    `createLimiter({ key, limits: (user) => (user.id === "" ? undefined : limits) })`,
    "limits:",
    "'undefined' is not assignable to type",
  ],
  [
    "a misspelt word",
    `createLimiter({ key, limits: (user) => (user.id === "" ? "unlimitted" : limits) })`,
    "limits:",
    "Did you mean '\"unlimited\"'?",
  ],
  [
    "a property that the input lacks",
    `createLimiter({ key, limits: (user) => (user.paid ? "deny" : limits) })`,
    "paid",
    "Property 'paid' does not exist on type 'User'",
  ],
  [
    "a function that returns a promise sometimes",
    "createLimiter({ key: (id: string) => cache.get(id) ?? id, limits })",
    "{ key",
    "Property 'async' is missing",
  ],
  ["a key that is no key", "perKey.allow(null)", "null", "not assignable to parameter of type 'Key'"],
  ["an input of another kind", `perRequest.allow("ann")`, `"ann"`, "not assignable to parameter of type 'HttpFacts'"],
  ["limiters of inputs that exclude each other", "combine(perKey, perRequest)", "perKey", ONE_KIND],
  ["text and an object as one input", "combine(byText, byUser)", "byText", ONE_KIND],
  ["a property of two types", "combine(byUser, byUserNumber)", "byUser", ONE_KIND],
  ["half an input", `combine(byUser, byRoute).allow({ user: "ann" })`, "{ user", "Property 'route' is missing"],
  ...["express", "fetching", "hono", "koa", "node"].map(
    (adapter): Mistake => [`a limiter without a key: ${adapter}`, `${adapter}({ limiter: perKey })`, "{ li", NEEDS_KEY],
  ),
  [
    "a limiter without a key: fastify",
    "export const options: RateLimitPluginOptions = { limiter: perKey }",
    "options",
    "required in type 'InputUnlessLimiterHasKey'",
  ],
  ["a limiter that may lack its input", "express({ limiter: perMaybe })", "{ limiter", NEEDS_KEY],
  ["an input of another kind", "express({ limiter: byUser, input: () => 7 })", "input", "'number' is not assignable"],
  ["a status of its own", "express({ limiter: one, status: 403 })", "status", "not assignable to type '429 | 503"],
  ["a misspelt option", "express({ limiter: one, staus: 429 })", "staus", "Did you mean to write 'status'?"],
  ["a misspelt store", "createLimiter({ limits, stroe: memoryStore() })", "stroe:", "Did you mean to write 'store'?"],
  ["a misspelt option of a limit", "perMinute(5, { burts: 3 })", "burts:", "Did you mean to write 'burst'?"],
  ["a count that is text", `perMinute("5")`, `"5"`, "'string' is not assignable to parameter of type 'number'"],
  ["a limit without a number", "tokenBucket({ capacity: 1, refill: 1 })", "{ capacity", "Property 'per' is missing"],
  ["a duration in words", `fixedWindow({ limit: 5, window: "1 day" })`, "window:", WINDOWS],
  ["weeks after days", `fixedWindow({ limit: 5, window: "1d2w" })`, "window:", WINDOWS],
  ["an unknown policy", `memoryStore({ overflow: "drop" })`, "overflow:", "not assignable to type 'OverflowPolicy"],
  ["a table without a size", "tableStore({})", "{}", "Property 'maxKeys' is missing"],
];

const errors = new Map<string, { readonly place: string; readonly message: string }>();

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  for (const [index, [, code]] of MISTAKES.entries()) {
    writeFileSync(join(FOLDER, `${index}.ts`), `${PRELUDE}${code};\n`);
  }
  writeFileSync(join(FOLDER, "correct.ts"), PRELUDE);
  const compilerOptions = { target: "es2023", module: "nodenext", strict: true, noEmit: true, skipLibCheck: true };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [TYPESCRIPT, "-p", FOLDER, "--pretty", "false"], (_error, stdout) => resolve(stdout));
  });
  for (const report of output.split(/\n(?=\S)/)) readReport(report);
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function readReport(report: string): void {
  const [, file, line, column, message] = /([^/\\]+)\.ts\((\d+),(\d+)\): error (.+)/s.exec(report) ?? [];
  if (file === undefined || message === undefined || errors.has(file)) return;
  const text = `${PRELUDE}${MISTAKES[Number(file)]?.[1] ?? ""}`.split("\n")[Number(line) - 1];
  errors.set(file, { place: text?.slice(Number(column) - 1) ?? "", message });
}

describe("the compiler", () => {
  it("accepts what is correct", () => {
    expect(errors.get("correct")).toBeUndefined();
  });

  it.each(MISTAKES.map(([what, , place, message], index) => [what, place, message, index] as const))(
    "names the place of %s",
    (_what, place, message, index) => {
      const error = errors.get(String(index));
      expect(error?.place.slice(0, place.length)).toBe(place);
      expect(error?.message).toContain(message);
      expect(error?.message).not.toContain("No overload matches");
    },
  );
});
