import { once } from "node:events";
import { createLimiter, perHour } from "tollgate";
import { rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";

const brokenKey = () =>
  createLimiter({
    key: (): string => {
      throw new Error("no key");
    },
    limits: [perHour(1)],
  });

/** The next warning of this process after a request has failed. */
async function warningOf(logError?: () => unknown): Promise<unknown> {
  const warned = once(process, "warning");
  const log = logError === undefined ? {} : { logError };
  const handle = rateLimit({ limiter: brokenKey(), onError: "allow", ...log })(() => new Response("hello"));
  expect((await handle(new Request("http://here.example/"))).status).toBe(200);
  return (await warned)[0];
}

function fail(): never {
  throw new Error("no log");
}

describe("a warning of the process", () => {
  it("is emitted for a failure without a logError", async () => {
    expect(await warningOf()).toMatchObject({ message: "no key" });
  });

  it.each<[string, () => unknown]>([
    ["throws", fail],
    ["rejects", () => Promise.reject(new Error("no log"))],
    ["rejects with a text", () => Promise.reject("no log")],
    ["returns a promise whose then throws", () => new Proxy(Promise.resolve(), { get: fail })],
  ])("is emitted for a logError that %s", async (_how, logError) => {
    expect(await warningOf(logError)).toMatchObject({ message: expect.stringContaining("no log") });
  });
});

it("decides even if the warning itself fails", async () => {
  const { emitWarning } = process;
  process.emitWarning = () => {
    throw new Error("no warnings");
  };
  try {
    const handle = rateLimit({ limiter: brokenKey(), onError: "deny" })(() => new Response("hello"));
    expect((await handle(new Request("http://here.example/"))).status).toBe(503);
  } finally {
    process.emitWarning = emitWarning;
  }
});
