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

/** The next warning of this process, once a request's failure has been reported. */
async function warningOf(logError?: () => unknown): Promise<unknown> {
  const warned = once(process, "warning");
  const report = logError === undefined ? {} : { logError };
  const handle = rateLimit({ limiter: brokenKey(), onError: "allow", ...report })(() => new Response("hello"));
  expect((await handle(new Request("http://here.example/"))).status).toBe(200);
  return (await warned)[0];
}

function fail(): never {
  throw new Error("no report");
}

describe("the process is warned", () => {
  it("of what failed, where nobody else wants to hear of it", async () => {
    expect(await warningOf()).toMatchObject({ message: "no key" });
  });

  it.each<[string, () => unknown]>([
    ["throws", fail],
    ["fails later", () => Promise.reject(new Error("no report"))],
    ["fails later with what is no error", () => Promise.reject("no report")],
    ["returns a promise that cannot be asked", () => new Proxy(Promise.resolve(), { get: fail })],
  ])("of a reporter that %s", async (_how, logError) => {
    expect(await warningOf(logError)).toMatchObject({ message: expect.stringContaining("no report") });
  });
});

it("a process that cannot be warned changes nothing", async () => {
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
