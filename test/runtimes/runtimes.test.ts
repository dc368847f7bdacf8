import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASES } from "./cases.ts";
import { programOf, type Runtime, type Started, start } from "./runtime.ts";

const HAS_SOCKETS = {
  "takes the word of those in front for the client's address":
    "a server that has sockets asks them; the tests of clientIp are about proxies",
};

const RUNTIMES: readonly Runtime[] = [
  {
    name: "Node",
    command: () => [process.execPath, "node.js"],
    skips: {
      ...HAS_SOCKETS,
      "lets a handler turn a request into a web socket, and counts it":
        "Node has no fetch servers of its own, and no response that stands for a web socket",
    },
  },
  {
    name: "Bun",
    command: () => [programOf("@oven", "bin/bun"), "run", "--no-install", "bun.js"],
    skips: HAS_SOCKETS,
  },
  {
    name: "Deno",
    command: () => [
      programOf("@deno", "deno"),
      ...["run", "--no-prompt", "--allow-net", "--allow-env", "--no-remote", "--node-modules-dir=manual", "deno.js"],
    ],
    skips: HAS_SOCKETS,
  },
  {
    name: "Workers",
    command: () => [process.execPath, "workers.js"],
    skips: {
      "knows the client's address": "a worker has no socket: the address is in a header",
      "tells of a client that went before there was an answer, when there is one":
        "workerd lets the handler go on, and tells nobody before it writes to the client",
    },
  },
];

describe.each(RUNTIMES)("a fetch handler in $name", (runtime) => {
  let started: Started;
  let instances = 0;
  beforeAll(async () => {
    started = await start(runtime);
  }, 60_000);
  afterAll(() => started?.stop());

  it("skips no case that is none, and each for a reason", () => {
    const names = new Set(CASES.map(({ name }) => name));
    expect(names.size).toBe(CASES.length);
    for (const [name, reason] of Object.entries(runtime.skips)) {
      expect(names).toContain(name);
      expect(reason.length).toBeGreaterThan(20);
    }
  });

  const cases = CASES.filter(({ name }) => !Object.hasOwn(runtime.skips, name));
  it.each(cases)("$name", async ({ run }) => {
    await run((scenario) => {
      instances += 1;
      return `${started.url}/${scenario}.${instances}`;
    });
  });
});
