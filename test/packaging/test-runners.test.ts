import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, runNode } from "../support/run.ts";
import { folderOfFile, plant } from "../support/temporary-folder.ts";
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

/** The rows about Jest in the table of docs/testing.md. */
const FAKE_TIMERS = `
const { createLimiter, perMinute, systemClock } = require("tollgate");

afterEach(() => jest.useRealTimers());

function movedBy(move) {
  const before = systemClock.now();
  move();
  return Math.round((systemClock.now() - before) / 60_000);
}

const minute = () => jest.advanceTimersByTime(60_000);

test("a minute of fake timers refills a limit", () => {
  jest.useFakeTimers();
  const limiter = createLimiter({ limits: [perMinute(2)] });
  expect([limiter.allow("ann", 2), limiter.allow("ann")]).toEqual([true, false]);
  minute();
  expect(limiter.allow("ann", 2)).toBe(true);
});

test("what runs timers moves the clock", () => {
  jest.useFakeTimers();
  setTimeout(() => {}, 60_000);
  expect(movedBy(() => jest.runAllTimers())).toBe(1);
  setTimeout(() => {}, 60_000);
  expect(movedBy(() => jest.advanceTimersToNextTimer())).toBe(1);
});

test("the system time and a spy on Date.now do not move it", () => {
  jest.useFakeTimers();
  expect(movedBy(() => jest.setSystemTime(Date.now() + 60_000))).toBe(0);
  expect(movedBy(() => jest.spyOn(Date, "now").mockReturnValue(0))).toBe(0);
  jest.restoreAllMocks();
});

test.each([[{ doNotFake: ["performance"] }], [{ doNotFake: ["Date"] }], [{ legacyFakeTimers: true }]])(
  "timers that are faked in part do not move it: %j",
  (options) => {
    jest.useFakeTimers(options);
    expect(movedBy(minute)).toBe(0);
  },
);
`;

const root = folderOfFile();
await plantInstalled(root, {});
plant(root, {
  "commonjs/package.json": "{}",
  "commonjs/limits.test.js": WITH_REQUIRE,
  "fake-timers/package.json": "{}",
  "fake-timers/limits.test.js": FAKE_TIMERS,
  "modules/package.json": '{ "type": "module" }',
  "modules/jest.config.js": "export default { transform: {} };",
  "modules/limits.test.js": WITH_IMPORT,
  "vitest/package.json": "{}",
  "vitest/vitest.config.mjs": "export default { test: { globals: true } };",
  "vitest/limits.test.js": WITH_IMPORT,
});

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

  it("moves the default clock by the fake timers of Jest, as the docs say", async () => {
    const { status, stderr } = await runIn("fake-timers", [toolOf("jest/bin/jest.js"), ...JEST]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("Tests:       6 passed, 6 total"),
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
