import { describe, expect, it } from "vitest";
import { type FuzzFailure, fuzz } from "./fuzz-run.ts";
import { MEMORY_SERVICES } from "./inputs/service-kinds.ts";
import { freshSeed } from "./options.ts";

/** Runs the fuzzer against services with a planted bug until it finds it. */
async function failureWith(
  bug: string,
  { seconds = 60, patienceMs = 60_000, services = MEMORY_SERVICES } = {},
): Promise<FuzzFailure | undefined> {
  const module = new URL(`planted-bugs.mjs#${encodeURIComponent(bug)}`, import.meta.url).href;
  const { failure } = await fuzz({
    seed: freshSeed(),
    seconds,
    first: 0,
    last: Number.POSITIVE_INFINITY,
    services,
    preload: [module],
    patienceMs,
  });
  return failure;
}

describe("the fuzzer of the service finds", () => {
  it.each([
    ["unhandled rejection", /Error: planted/],
    ["crash by one byte", /Error: planted/],
    ["leak of a request", /memory grew from/],
    ["status 500", /status 500/],
    ["warning of Node", /no log entry: \(node:/],
    ["crash by a limits file", /Error: planted/],
  ])("a planted bug: %s", async (bug, reason) => {
    expect((await failureWith(bug))?.reason).toMatch(reason);
  });

  it.each([
    ["endless loop", /took longer than 6000 ms/],
    ["request without an answer", /input \d+: .*took longer than 6000 ms/],
  ])("a planted bug: %s", async (bug, reason) => {
    expect((await failureWith(bug, { patienceMs: 6_000 }))?.reason).toMatch(reason);
  });

  it.each([
    ["key without an end", ["redis"], /expected a key that ends, got "planted"/],
    ["script that fails", ["hybrid"], /the script failed in Redis 1 times/],
    ["connections without an end", ["redis"], /at most 16 connections, got/],
    ["death of a worker", ["workers"], /worker-died/],
  ] as const)("a planted bug: %s", async (bug, services, reason) => {
    expect((await failureWith(bug, { services }))?.reason).toMatch(reason);
  });

  it("a planted bug: exit code of SIGTERM", async () => {
    const failure = await failureWith("exit code of SIGTERM", { seconds: 2 });
    expect(failure?.reason).toBe("limits: expected exit code 0 on SIGTERM, got 3");
  });
});
