import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASES } from "./cases.ts";
import { programOf, type Runtime, type Started, start } from "./runtime.ts";

const HAS_SOCKETS = {
  "takes the address of the client from the header of a trusted proxy":
    "a server with sockets reads the address from them; the tests of clientIp cover proxies",
};

const RUNTIMES: readonly Runtime[] = [
  {
    name: "Node",
    command: () => [process.execPath, "node.js"],
    skips: {
      ...HAS_SOCKETS,
      "lets a handler upgrade a request to a web socket, and counts it":
        "Node has no fetch server of its own, and no response for a web socket",
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
      "has the address of the client": "a worker has no socket; the address is in a header",
      "reports a client that left before the response":
        "workerd lets the handler go on, and notices only when it writes to the client",
    },
  },
];

describe.each(RUNTIMES)("a fetch handler in $name", (runtime) => {
  let started: Started;
  let instances = 0;
  beforeAll(async () => {
    started = await start(runtime);
  });
  afterAll(() => started?.stop());

  it("skips only cases that exist, each for a reason", () => {
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
