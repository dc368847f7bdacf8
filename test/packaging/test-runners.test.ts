import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, runNode } from "../support/run.ts";
import { plant, remove, temporaryFolder } from "../support/temporary-folder.ts";
import { plantInstalled, toolOf } from "./installed-project.ts";
import { userEnvironment } from "./projects.ts";

const NAMES = {
  tollgate: "createLimiter, perMinute, TollgateError",
  "tollgate/express": "clientIp, rateLimit",
  "tollgate/redis": "redisStore",
  "tollgate/table": "tableStore",
  "tollgate/testing": "manualClock",
};

const BODY = `
test("limits", () => {
  const clock = manualClock(0);
  const limiter = createLimiter({ limits: [perMinute(2)], clock, store: tableStore({ maxKeys: 100 }) });
  expect([limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann")]).toEqual([true, true, false]);
  clock.advance(60_000);
  expect(limiter.allow("ann", 2)).toBe(true);
});

test("refuses what is no limit", () => {
  expect(() => perMinute(-1)).toThrow(TollgateError);
  expect(() => createLimiter({ limits: [{ capacity: 1 }] })).toThrow(/limits made by/);
});

test("loads the adapters and the stores", () => {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
  expect(rateLimit({ limiter })).toBeInstanceOf(Function);
  expect(() => redisStore({ client: 5 })).toThrow(TollgateError);
});
`;

function suite(toLine: (names: string, from: string) => string): string {
  return (
    Object.entries(NAMES)
      .map(([from, names]) => toLine(names, from))
      .join("\n") + BODY
  );
}

const WITH_REQUIRE = suite((names, from) => `const { ${names} } = require("${from}");`);
const WITH_IMPORT = suite((names, from) => `import { ${names} } from "${from}";`);

let root: string;
beforeAll(async () => {
  root = temporaryFolder();
  await plantInstalled(root, {});
  plant(root, {
    "commonjs/package.json": "{}",
    "commonjs/limits.test.js": WITH_REQUIRE,
    "modules/package.json": '{ "type": "module" }',
    "modules/jest.config.js": "export default { transform: {} };",
    "modules/limits.test.js": WITH_IMPORT,
    "vitest/package.json": "{}",
    "vitest/vitest.config.mjs": "export default { test: { globals: true } };",
    "vitest/limits.test.js": WITH_IMPORT,
  });
});
afterAll(() => remove(root));

function runIn(folder: string, args: readonly string[]): Promise<Run> {
  return runNode(join(root, folder), args, { ...userEnvironment(), NO_COLOR: "1", CI: "1" });
}

const JEST = ["--ci", "--watchman=false"];

describe("a test suite of users", () => {
  it("runs in Jest by default", async () => {
    const { status, stderr } = await runIn("commonjs", [toolOf("jest/bin/jest.js"), ...JEST]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("Tests:       3 passed, 3 total"),
    });
  });

  it("runs in Jest with ES modules", async () => {
    const { status, stderr } = await runIn("modules", [
      "--experimental-vm-modules",
      toolOf("jest/bin/jest.js"),
      ...JEST,
    ]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("Tests:       3 passed, 3 total"),
    });
  });

  it("runs in vitest", async () => {
    const vitest = join(REPOSITORY, "node_modules/vitest/vitest.mjs");
    const { status, stdout } = await runIn("vitest", [vitest, "run"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/Tests +3 passed \(3\)/) });
  });
});
