import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { blocksOf } from "../../../test/examples/code-blocks.ts";
import { codeOf, rowsOf } from "./page.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = fileURLToPath(new URL(`.generated/${process.pid}`, import.meta.url));

/** What the cells of every page may name. */
const COMMON = `
import * as library from "tollgate";
import { combine, createLimiter, type Decision, type Denied, fixedWindow, type Limit, memoryStore } from "tollgate";
import { perHour, perMinute, perSecond, slidingWindow } from "tollgate";
import * as cluster from "tollgate/cluster";
import * as durable from "tollgate/durable-object";
import * as redis from "tollgate/redis";
import { redisStore, type StoreClient } from "tollgate/redis";
import * as shared from "tollgate/shared";
import * as testing from "tollgate/testing";
import { tableStore } from "tollgate/table";
import * as adapter from "tollgate/ADAPTER";
import { clientIp, factsOf, refundSuccesses, type HttpFacts, rateLimit } from "tollgate/ADAPTER";
declare const client: StoreClient;
declare const sendCommand: (...args: string[]) => Promise<unknown>;
declare const decision: Decision & Denied;
declare const cost: number;
const limits = [perMinute(1)];
const { createLimiter: _, ...known } = library;
type Names<T> = T extends unknown ? keyof T : never;
type Name =
  | Names<typeof library | typeof cluster | typeof durable | typeof redis | typeof shared | typeof testing | typeof adapter>
  | Names<Parameters<typeof createLimiter>[0] | Parameters<typeof redisStore>[0] | Parameters<typeof perMinute>[1]>
  | Names<AdapterOptions>;
declare function named(name: Name): void;
declare const key: string;
declare function limitsOf(key: unknown): Limit[];
`;

interface Page {
  readonly adapter: string;
  readonly prelude: string;
  /** Where an option of the adapter stands. */
  readonly inFront: (option: string) => string;
}

const OF_REQUESTS = "const limiter = createLimiter({ key: clientIp(), limits });\nconst keyed = { key: clientIp() };\n";

const PAGES: Readonly<Record<string, Page>> = {
  "from-express-rate-limit.md": {
    adapter: "express",
    prelude: `${OF_REQUESTS}
      import type { Request } from "express";
      declare const request: Request;
      declare const facts: HttpFacts;
      type AdapterOptions = adapter.RateLimitOptions<HttpFacts>;`,
    inFront: (option) => `rateLimit({ limiter, ${option} })`,
  },
  "from-fastify-rate-limit.md": {
    adapter: "fastify",
    prelude: `${OF_REQUESTS}
      import { fastify, type FastifyRequest } from "fastify";
      declare const request: FastifyRequest;
      type AdapterOptions = adapter.RateLimitOptions<HttpFacts>;`,
    inFront: (option) =>
      option.startsWith("config:")
        ? `fastify().get("/", { ${option} }, async () => "")`
        : `({ limiter, ${option} }) satisfies adapter.RateLimitPluginOptions`,
  },
  "from-hono-rate-limiter.md": {
    adapter: "hono",
    prelude: `${OF_REQUESTS}
      import type { Context } from "hono";
      declare const context: Context;
      type AdapterOptions = adapter.RateLimitOptions<HttpFacts>;`,
    inFront: (option) => `rateLimit({ limiter, ${option} })`,
  },
  "from-rate-limiter-flexible.md": {
    adapter: "node",
    prelude: `const limiter = createLimiter({ limits });
      const keyed = {};
      type AdapterOptions = adapter.RateLimitOptions<HttpFacts>;`,
    inFront: (option) => `rateLimit({ limiter, ${option} })`,
  },
};

/** A statement that compiles if the code of a cell is right. */
function statementOf(code: string, { inFront }: Page): string {
  if (/^\w+$/.test(code) && !/^(?:null|Infinity)$/.test(code)) return `named("${code}");`;
  const [, option] = /^(\w+): /.exec(code) ?? [];
  if (option === undefined) return `void (${code});`;
  if (option === "limits") return `createLimiter({ ...keyed, ${code} });`;
  if (option === "key" || option === "store") return `createLimiter({ limits, ${code} });`;
  if (option === "blockFor") return `perMinute(1, { ${code} });`;
  return `${inFront(code)};`;
}

const output = (async () => {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, page] of Object.entries(PAGES)) {
    const cells = rowsOf(name).flatMap(({ ours }) => codeOf(ours).map((code) => statementOf(code, page)));
    const prelude = `${COMMON}${page.prelude}`.replaceAll("ADAPTER", page.adapter);
    writeFileSync(`${FOLDER}/${name}.ts`, `${prelude}\n${cells.join("\n")}\nexport {};\n`);
  }
  const compilerOptions = { target: "es2023", module: "nodenext", strict: true, noEmit: true, skipLibCheck: true };
  writeFileSync(`${FOLDER}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const compiler = `${REPOSITORY}node_modules/typescript/bin/tsc`;
  return new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, "-p", FOLDER, "--pretty", "false"], (_error, stdout) => resolve(stdout));
  });
})();
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe("the code that users had", () => {
  it.each(Object.keys(PAGES))("runs: docs/%s", async (page) => {
    const before = blocksOf(`docs/${page}`).find(({ code }) => !code.includes("tollgate"));
    expect(before?.language).toBe("js");
    await output;
    const file = `${FOLDER}/${page}.mjs`;
    writeFileSync(file, before?.code ?? "");
    vi.spyOn(console, "log").mockImplementation(() => {});
    await import(file);
  });
});

describe("the cells of the pages for users of other limiters", () => {
  it.each(Object.keys(PAGES))("compile, and name what there is: docs/%s", async (page) => {
    expect(rowsOf(page).length).toBeGreaterThan(15);
    expect((await output).split("\n").filter((line) => line.includes(page))).toEqual([]);
  });
});
