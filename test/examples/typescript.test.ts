import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RedisServer } from "../../packages/tollgate/test/stores/redis/servers/redis-server.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { blocksOf, pagesAndSources, promisedOutput, REPOSITORY } from "./code-blocks.ts";

const FOLDER = join(REPOSITORY, "test/examples/.generated");
const examples = pagesAndSources()
  .flatMap(blocksOf)
  .filter(({ language }) => language === "ts")
  .map((block, index) => ({ ...block, file: join(FOLDER, `example-${index}.ts`) }));

/** Factories and functions that users call; types have no example of their own. */
const DOCUMENTED = [
  "TollgateError",
  "clientIp",
  "coarseClock",
  "combine",
  "compose",
  "cookie",
  "createLimiter",
  "decisionOf",
  "firstOf",
  "fixedWindow",
  "header",
  "manualClock",
  "memoryStore",
  "perDay",
  "perHour",
  "perMinute",
  "perSecond",
  "rateLimit",
  "redisStore",
  "sharedStore",
  "slidingWindow",
  "storeContract",
  "systemClock",
  "tableStore",
  "tokenBucket",
];

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  vi.stubEnv("REDIS_URL", `redis://127.0.0.1:${redis.port}`);
  mkdirSync(FOLDER, { recursive: true });
  for (const { file, code } of examples) writeFileSync(file, `${code}export {};\n`);
  const config = { extends: "../../../tsconfig.tests.json", include: ["*.ts"], references: [] };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
});

afterAll(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  vi.unstubAllEnvs();
  await redis.stop();
});

describe("examples in TypeScript", () => {
  it("there are some in the README, the docs and the docstrings", () => {
    const places = examples.map(({ place }) => place).join("\n");
    for (const place of ["README.md:", "docs/errors.md:", "src/limiter/combine.ts:"]) expect(places).toContain(place);
  });

  it("compile", () => {
    execFileSync(process.execPath, [join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-p", FOLDER], {
      stdio: "pipe",
    });
  });

  it.each(examples)("$place prints what it says", async ({ file, code }) => {
    const printed: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(format(...values)));
    try {
      await import(file);
    } finally {
      log.mockRestore();
    }
    expect(printed).toEqual(promisedOutput(code));
  });

  it("every function that users call has one", () => {
    const inSources = examples
      .filter(({ place }) => place.includes("/src/"))
      .map(({ code }) => code)
      .join("\n");
    for (const name of DOCUMENTED) expect(inSources).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
