import { concurrency, createLimiter, type Limit, perSecond, TollgateError } from "tollgate";
import { DeniedError, type LimitedFetchOptions, limitedFetch } from "tollgate/client";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { settled } from "../limiter/line-clock.ts";

const START_MS = Date.UTC(2026, 10, 23, 12);
const URL_A = "https://a.example/items";

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** A limited fetch over answers that are given one after another, the last again and again. */
function client(
  answers: readonly Answer[],
  options: LimitedFetchOptions = {},
  limits: readonly Limit[] = [perSecond(100)],
) {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ limits, clock });
  const sent: { readonly atMs: number; readonly url: string; readonly method: string; readonly body: string }[] = [];
  const get = limitedFetch(limiter, {
    clock,
    fetch: async (input) => {
      const request = new Request(input);
      const body = await request.text();
      sent.push({ atMs: clock.now() - START_MS, url: request.url, method: request.method, body });
      const { status = 200, headers = {} } = answers[Math.min(sent.length, answers.length) - 1]!;
      return new Response(status === 204 ? null : `answer ${sent.length}`, { status, headers });
    },
    ...options,
  });
  return { clock, limiter, get, sent };
}

/** Bodies are read in turns of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("limitedFetch", () => {
  it("sends each request when it is its turn, for each host apart", async () => {
    const { clock, get, sent } = client([{}], {}, [perSecond(1)]);
    const answers = [get(URL_A), get(URL_A), get(new URL("https://b.example/"))];
    await settled();
    expect(sent.map(({ url }) => url)).toEqual([URL_A, "https://b.example/"]);
    clock.advance(1_000);
    await Promise.all(answers);
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 0, 1_000]);
  });

  it("sends at most so many requests at a time under a limit on concurrency", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [concurrency({ max: 2, ttl: "1h" })], clock });
    const answers: (() => void)[] = [];
    const get = limitedFetch(limiter, {
      clock,
      key: "all",
      fetch: () => new Promise((resolve) => answers.push(() => resolve(new Response("answer")))),
    });
    const sent = [1, 2, 3].map(() => get(URL_A));
    await until(() => answers.length === 2);
    await settled();
    expect([answers.length, limiter.explain("all")[0]!.used]).toEqual([2, 2]);
    answers[0]!();
    await until(() => answers.length === 3);
    for (const answer of answers) answer();
    await Promise.all(sent);
    expect(limiter.explain("all")[0]!.used).toBe(0);
  });

  it("counts by a key and a cost of the request, and rejects what cannot be sent in time", async () => {
    const { get, sent, limiter } = client(
      [{}],
      { key: (request) => request.method, cost: (request) => (request.method === "POST" ? 5 : 1), maxWait: 0 },
      [perSecond(5)],
    );
    await get(URL_A, { method: "POST", body: "text" });
    await get(URL_A);
    const error = await get(URL_A, { method: "POST" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeniedError);
    expect(error).toBeInstanceOf(TollgateError);
    expect(sent.map(({ body }) => body)).toEqual(["text", ""]);
    expect([limiter.explain("POST")[0]?.used, limiter.explain("GET")[0]?.used]).toEqual([5, 1]);
  });

  it.each<[string, Answer, number]>([
    ["Retry-After", { status: 429, headers: { "Retry-After": "7" } }, 7_000],
    ["Retry-After of 503", { status: 503, headers: { "Retry-After": "2" } }, 2_000],
    ["Retry-After as a date", { status: 429, headers: { "Retry-After": "Mon, 23 Nov 2026 12:00:09 GMT" } }, 9_000],
    ["a limit that is used up", { headers: { RateLimit: '"a";r=0;t=30' } }, 30_000],
    ["the later of both", { status: 429, headers: { "Retry-After": "3", RateLimit: '"a";r=0;t=5' } }, 5_000],
    ["an hour at most", { status: 429, headers: { "Retry-After": "86400" } }, 3_600_000],
  ])("blocks the key as the server asks: %s", async (_name, answer, ms) => {
    const { clock, limiter, get, sent } = client([answer, {}]);
    expect((await get(URL_A)).status).toBe(answer.status ?? 200);
    expect(limiter.blockedUntil("a.example")).toBe(START_MS + ms);
    const next = get(URL_A);
    await get("https://b.example/");
    clock.advance(ms - 1);
    await settled();
    expect(sent.length).toBe(2);
    clock.advance(1);
    expect((await next).status).toBe(200);
  });

  it.each<[string, Answer]>([
    ["a limit with units left", { headers: { RateLimit: '"a";r=1;t=30' } }],
    ["a failure that says nothing", { status: 500 }],
    ["a denial that says nothing", { status: 429 }],
    ["a limit that is used up without a time", { headers: { "X-RateLimit-Remaining": "0" } }],
  ])("does not block the key for %s", async (_name, answer) => {
    const { limiter, get } = client([answer]);
    await get(URL_A);
    expect(limiter.blockedUntil("a.example")).toBeUndefined();
  });

  it("leaves an operator's longer block", async () => {
    const { clock, limiter, get } = client([{ headers: { RateLimit: '"a";r=0;t=30' } }], {
      cost: () => {
        // As soon as the request has had its turn.
        setImmediate(() => limiter.block("a.example", "10m", { reason: "maintenance" }));
        return 1;
      },
      fetch: async () => {
        await until(() => limiter.blockedUntil("a.example") !== undefined);
        return new Response("", { headers: { RateLimit: '"a";r=0;t=30' } });
      },
    });
    await get(URL_A);
    expect(limiter.blockedUntil("a.example")).toBe(clock.now() + 600_000);
  });

  it("returns the answer and obeys it though the store cannot be told", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(100)], clock });
    const untold = Object.assign(Object.create(limiter) as typeof limiter, {
      wait: (...args: Parameters<typeof limiter.wait>) => limiter.wait(...args),
      blockedUntil: () => {
        throw new TollgateError("ERR_STORE", "redisStore: the server could not be asked: timed out");
      },
    });
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return new Response("later", { status: 429, headers: { "Retry-After": "5" } });
    };
    const get = limitedFetch(untold, { clock, fetch });
    expect((await get(URL_A)).status).toBe(429);
    const next = get(URL_A);
    await until(() => sent > 1);
    expect(sent).toBe(1);
    clock.advance(5_000);
    expect([(await next).status, sent]).toEqual([429, 2]);
  });

  it("repeats requests that may be repeated, as often as it is told, with their bodies", async () => {
    const { clock, limiter, get, sent } = client(
      [{ status: 503 }, { status: 429, headers: { "Retry-After": "4" } }, { status: 502 }, {}],
      { retries: 3 },
    );
    const answer = get(URL_A, { method: "PUT", body: "text" });
    for (const ms of [500, 4_000, 2_000]) {
      await until(() => limiter.blockedUntil("a.example") === clock.now() + ms);
      clock.advance(ms);
    }
    expect(await (await answer).text()).toBe("answer 4");
    expect(sent).toEqual([0, 500, 4_500, 6_500].map((atMs) => ({ atMs, url: URL_A, method: "PUT", body: "text" })));
  });

  it("repeats no other requests, and returns the last answer when the tries are over", async () => {
    const once = client([{ status: 503 }], { retries: 5 });
    expect((await once.get(URL_A, { method: "POST", body: "x" })).status).toBe(503);
    expect(once.sent.length).toBe(1);
    const twice = client([{ status: 503 }], { retries: 1 });
    const answer = twice.get(URL_A, { method: "POST", headers: { "Idempotency-Key": "1" } });
    await until(() => twice.limiter.blockedUntil("a.example") !== undefined);
    twice.clock.advance(500);
    expect([(await answer).status, twice.sent.length]).toEqual([503, 2]);
    const never = client([{ status: 404 }], { retries: 5 });
    expect([(await never.get(URL_A)).status, never.sent.length]).toEqual([404, 1]);
  });

  it("ends a wait between two tries when the signal aborts", async () => {
    const { get, sent, limiter } = client([{ status: 429, headers: { "Retry-After": "60" } }], { retries: 1 });
    const controller = new AbortController();
    const answer = get(URL_A, { signal: controller.signal });
    await until(() => limiter.blockedUntil("a.example") !== undefined);
    controller.abort(new Error("gone"));
    await expect(answer).rejects.toThrow("gone");
    expect(sent.length).toBe(1);
  });

  it("learns the limit that a server advertises, if it is told to", async () => {
    const headers = { "RateLimit-Policy": '"a";q=2;w=10', RateLimit: '"a";r=1;t=10' };
    const { clock, get, sent } = client([{ headers }], { learn: true });
    // The first request was sent before the limit was known.
    await get(URL_A);
    const answers = [get(URL_A), get(URL_A), get(URL_A)];
    await settled();
    expect(sent.length).toBe(3);
    clock.advance(10_000);
    await Promise.all(answers);
    expect(sent.length).toBe(4);
    const other = client([{ headers }]);
    await Promise.all([1, 2, 3, 4].map(() => other.get(URL_A)));
    expect(other.sent.length).toBe(4);
  });

  it.each(['"a";q=2;w=0.0000001', '"a";q=0;w=10', '"a";q=99999999999;w=10', '"a";q=5;w=0', '"a";q=5;w=1.00005'])(
    "goes on whatever a server advertises: %s",
    async (policy) => {
      const { get, sent } = client([{ headers: { "RateLimit-Policy": policy, RateLimit: '"a";r=1;t=0.0001' } }], {
        learn: true,
      });
      expect([(await get(URL_A)).status, (await get(URL_A)).status, sent.length]).toEqual([200, 200, 2]);
    },
  );

  it("blocks for whole microseconds whatever the time is", async () => {
    const clock = manualClock(START_MS + 0.123);
    const limiter = createLimiter({ limits: [perSecond(5)], clock });
    let readings = 0;
    const odd = {
      now: () => {
        readings += 1;
        return clock.now() + 0.000_7 * readings;
      },
    };
    const reset = String(START_MS / 1_000 + 3.3);
    const headers = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset };
    const get = limitedFetch(limiter, { clock: odd, fetch: async () => new Response("", { headers }) });
    await get(URL_A);
    expect(limiter.blockedUntil("a.example")! - START_MS).toBeCloseTo(3_300, 1);
  });

  it.each([
    [{ retries: -1 }, /retries: expected a whole number from 0 to 10/],
    [{ retries: 11 }, /retries/],
    [{ learn: "yes" }, /learn: expected one of true, false/],
    [{ fetch: 1 }, /fetch: expected a function/],
    [{ maxWait: "soon" }, /maxWait: expected milliseconds/],
    [{ maxBlock: 0 }, /maxBlock: expected milliseconds/],
    [{ retrys: 1 }, /limitedFetch: unknown option "retrys"/],
  ])("refuses the options %j", (options, message) => {
    expect(() => limitedFetch(createLimiter({ limits: [perSecond(1)] }), options as LimitedFetchOptions)).toThrow(
      message,
    );
  });
});
