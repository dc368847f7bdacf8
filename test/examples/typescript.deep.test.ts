import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "./code-blocks.ts";
import { Examples, expectPromisedOutput, isTest, needsPostgres, needsRedis } from "./examples.ts";

/** Factories and functions that users call; types have no example of their own. */
const DOCUMENTED = [
  "PlanMap",
  "PlanVerbs",
  "TollgateError",
  "clientIp",
  "coarseClock",
  "combine",
  "compositeKey",
  "cookie",
  "createLimiter",
  "createLimits",
  "decisionOf",
  "firstOf",
  "fixedWindow",
  "header",
  "manualClock",
  "memoryStore",
  "parseLimits",
  "perDay",
  "perHour",
  "perMinute",
  "perSecond",
  "postgresMigration",
  "postgresStore",
  "rateLimit",
  "redisStore",
  "sharedStore",
  "slidingWindow",
  "storeContract",
  "systemClock",
  "tableStore",
  "tokenBucket",
  "trustLimitsFile",
];

const examples = new Examples(() => true);
beforeAll(() => examples.write());
afterAll(() => examples.remove());

describe("examples in TypeScript", () => {
  it("are found in the README, the docs and the docstrings", () => {
    const places = examples.list.map(({ place }) => place).join("\n");
    for (const place of ["README.md:", "docs/errors.md:", "src/limiter/combine.ts:"]) expect(places).toContain(place);
  });

  it("compile", () => {
    const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", examples.folder], { encoding: "utf8" });
    expect(stdout).toBe("");
  });

  // The others run in `redis.deep.test.ts`, `postgres.deep.test.ts` and `fake-timers.test.ts`.
  it.each(examples.list.filter((example) => !(needsRedis(example) || needsPostgres(example) || isTest(example))))(
    "print what they say: $place",
    expectPromisedOutput,
  );

  it.each(DOCUMENTED)("show every function that users call: %s", (name) => {
    const inSources = examples.list.filter(({ place }) => place.includes("/src/"));
    expect(inSources.filter(({ code }) => new RegExp(`\\b${name}\\b`).test(code))).not.toEqual([]);
  });
});
