import { concurrency, createLimiter, type Limit, type Limiter, perSecond, TollgateError } from "tollgate";
import { DeniedError, type LimitedFetchOptions, limitedFetch } from "tollgate/limited-fetch";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LearnedLimits } from "../../src/limited-fetch/learned-limits.ts";
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
  isUntold = false,
) {
  const clock = manualClock(START_MS);
  const made = createLimiter({ limits, clock });
  const limiter = isUntold ? untold(made) : made;
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

/** A limiter whose store cannot be told of blocks. */
function untold(limiter: Limiter): Limiter {
  const blockedUntil = () => {
    throw new TollgateError("ERR_STORE", "redisStore: the server could not be asked: timed out");
  };
  return {
    ...limiter,
    acquire: (...args) => limiter.acquire(...args),
    unblock: (input) => limiter.unblock(input),
    blockedUntil,
  };
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
      input: "all",
      fetch: () => new Promise((resolve) => answers.push(() => resolve(new Response("answer")))),
      hold: "headers",
    });
    const sent = [1, 2, 3].map(() => get(URL_A));
    await until(() => answers.length === 2);
    await settled();
    expect([answers.length, limiter.explain("all")[0]!.used]).toEqual([2, 2]);
    answers[0]!();
    await until(() => answers.length === 3);
    for (const answer of answers) answer();
    expect(await Promise.all(sent.map(async (response) => (await response).text()))).toEqual(Array(3).fill("answer"));
    expect(limiter.explain("all")[0]!.used).toBe(0);
  });

  it("counts by an input and a cost of the request, and rejects what cannot be sent in time", async () => {
    const { get, sent, limiter } = client(
      [{}],
      { input: (request) => request.method, cost: (request) => (request.method === "POST" ? 5 : 1), maxWait: 0 },
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
  ])("blocks the input as the server asks: %s", async (_name, answer, ms) => {
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
  ])("does not block the input for %s", async (_name, answer) => {
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
    await until(() => sent.length === 3);
    await settled();
    expect(sent.length).toBe(3);
    clock.advance(10_000);
    await Promise.all(answers);
    expect(sent.length).toBe(4);
    const other = client([{ headers }]);
    await Promise.all([1, 2, 3, 4].map(() => other.get(URL_A)));
    expect(other.sent.length).toBe(4);
  });

  it("counts by the window, whatever the order, the names and the quotas of a server's list", async () => {
    const lists = [
      '"day";q=7;w=3600, "burst";q=5;w=1',
      '"burst";q=5;w=1, "day";q=7;w=3600',
      '"new-1";q=7;w=3600',
      '"x";q=6;w=1, "other";q=90;w=3600, "y";q=7;w=3600',
    ];
    const answers = Array.from({ length: 100 }, (_, i) => ({ headers: { "RateLimit-Policy": lists[i % 4]! } }));
    const { clock, get, sent } = client(answers, { learn: true, maxWait: 0 });
    await get(URL_A);
    for (let i = 0; i < 600; i += 1) {
      clock.advance(1_000);
      await get(URL_A).catch(() => {});
    }
    // The first one was sent before the limit was known.
    expect(sent.length).toBe(8);
  });

  it("obeys a new quota at once, and still counts what was sent", async () => {
    const answers = [5, 5, 3, 5, 5, 6].map((q) => ({ headers: { "RateLimit-Policy": `"a";q=${q};w=60` } }));
    const { get, sent } = client(answers, { learn: true, maxWait: 0 });
    for (let i = 0; i < 12; i += 1) await get(URL_A).catch(() => {});
    // The first one was sent before the limit was known, and six of the last quota follow.
    expect(sent.length).toBe(7);
    const lower = client(
      [5, 5, 5, 2].map((q) => ({ headers: { "RateLimit-Policy": `"a";q=${q};w=60` } })),
      {
        learn: true,
        maxWait: 0,
      },
    );
    for (let i = 0; i < 12; i += 1) await lower.get(URL_A).catch(() => {});
    expect(lower.sent.length).toBe(4);
  });

  it("asks the limiter for one request at a time while a learned limit holds many up, in their order", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(100)], clock });
    let asked = 0;
    const counting: Limiter = {
      ...limiter,
      acquire: (...args) => {
        asked += 1;
        return limiter.acquire(...args);
      },
      blockedUntil: (input) => limiter.blockedUntil(input),
    };
    const sent: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      sent.push(new URL(new Request(input).url).pathname);
      return new Response("", { headers: { "RateLimit-Policy": '"a";q=1;w=1' } });
    };
    const get = limitedFetch(counting, { clock, learn: true, fetch });
    await get("https://a.example/first");
    const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
    const answers = paths.map((path) => get(`https://a.example${path}`));
    for (let i = 0; i < 30; i += 1) {
      await until(() => sent.length === i + 2);
      clock.advance(1_000);
    }
    await Promise.all(answers);
    expect(sent).toEqual(["/first", ...paths]);
    expect(asked).toBeLessThanOrEqual(2 * 31);
  });

  it("sends no more than a learned limit though the limiter held its requests up", async () => {
    const { clock, get, limiter, sent } = client([{ headers: { "RateLimit-Policy": '"a";q=2;w=10' } }], {
      learn: true,
    });
    await get(URL_A);
    limiter.block("a.example", "30s");
    const answers = Array.from({ length: 5 }, () => get(URL_A));
    for (let i = 0; i < 60; i += 1) {
      clock.advance(1_000);
      await settled();
      await settled();
    }
    await Promise.all(answers);
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 30_000, 30_000, 40_000, 40_000, 50_000]);
  });

  it("takes nothing from the limiter while a learned limit holds requests up, and ends their wait by the signal", async () => {
    const { get, limiter, sent } = client([{ headers: { "RateLimit-Policy": '"a";q=1;w=60' } }], { learn: true });
    await get(URL_A);
    await get(URL_A);
    const controller = new AbortController();
    const answers = Array.from({ length: 20 }, () => get(URL_A, { signal: controller.signal }));
    await settled();
    expect([sent.length, limiter.explain("a.example")[0]!.used]).toEqual([2, 2]);
    controller.abort(new Error("gone"));
    for (const answer of answers) await expect(answer).rejects.toThrow("gone");
  });

  it("remembers eight windows of an input and a thousand inputs, and forgets first what is used least", async () => {
    const windows = Array.from({ length: 12 }, (_, i) => `"${i}";q=${[50, 50, 50, 1, 2][i] ?? 50};w=${3_600 + i}`);
    const { get, sent } = client([{ headers: { "RateLimit-Policy": windows.join() } }], { learn: true, maxWait: 0 });
    const isLimited = async (host: string) => {
      const before = sent.length;
      await get(`https://${host}/`).catch(() => {});
      return sent.length === before;
    };
    for (let i = 0; i < 1_101; i += 1) await get(`https://h${i}.example/`);
    for (let i = 101; i < 1_101; i += 100) await get(`https://h${i}.example/`);
    // The four shortest windows were left out, and with them a quota of 1.
    for (const host of ["h101.example", "h1001.example"])
      expect([await isLimited(host), await isLimited(host)]).toEqual([false, true]);
    // The host h100 is forgotten, and learned anew.
    expect([await isLimited("h100.example"), await isLimited("h100.example")]).toEqual([false, false]);
    expect([await isLimited("h100.example"), await isLimited("h100.example")]).toEqual([false, true]);
  });

  it("looks at the inputs that it remembers once in a hundred requests to others", async () => {
    const looks = vi.spyOn(LearnedLimits.prototype, "usedAt");
    onTestFinished(() => looks.mockRestore());
    const { get } = client([{ headers: { "RateLimit-Policy": "50;w=3600" } }], { learn: true });
    for (let i = 0; i < 1_500; i += 1) await get(`https://h${i}.example/`);
    expect(looks.mock.calls.length).toBeLessThan(6 * 1_101);
  });

  it.each(["sent", "waiting"])(
    "keeps a learned limit though 2,000 other hosts are learned while requests are %s",
    async (are) => {
      const { clock, get, sent } = client([{ headers: { "RateLimit-Policy": '"a";q=100;w=3600' } }], { learn: true }, [
        perSecond(1_000),
      ]);
      const sentToA = () => sent.filter(({ url }) => url === URL_A).length;
      const all: Promise<Response>[] = [];
      const ask = (count: number) => {
        for (let i = 0; i < count; i += 1) all.push(get(URL_A));
      };
      await get(URL_A);
      ask(are === "sent" ? 50 : 150);
      await until(() => sentToA() === (are === "sent" ? 51 : 101));
      for (let i = 0; i < 2_000; i += 1) await get(`https://h${i}.example/`);
      ask(are === "sent" ? 100 : 0);
      await until(() => sentToA() > 101);
      // The first one was sent before the limit was known.
      expect(sentToA()).toBe(101);
      clock.advance(3_600_000);
      await Promise.all(all);
      expect(sentToA()).toBe(151);
    },
  );

  it.each([
    [{ retries: 11 }, /retries/],
    [{ learn: "yes" }, /learn: expected one of true, false/],
    [{ input: undefined }, /input: expected a text, or a function/],
    [{ cost: -1 }, /cost: expected a whole number/],
    [{ maxWait: "soon" }, /maxWait: expected milliseconds/],
    [{ clock: {} }, /clock.now: expected a clock/],
    [{ fetch: null }, /fetch: expected a function such as fetch, got null/],
    [{ key: "all" }, /unknown option "key"/],
  ])("refuses the options %j", (options, message) => {
    expect(() => limitedFetch(createLimiter({ limits: [perSecond(1)] }), options as LimitedFetchOptions)).toThrow(
      message,
    );
  });

  it("refuses what is no limiter, and a missing fetch", () => {
    expect(() => limitedFetch(undefined as never)).toThrow(/expected a limiter/);
    const limiter = createLimiter({ limits: [perSecond(1)] });
    expect(() => limitedFetch({ limiter } as never)).toThrow(/: limitedFetch\(limiter, \{\}\)$/);
    const { fetch } = globalThis;
    Reflect.deleteProperty(globalThis, "fetch");
    try {
      expect(() => limitedFetch(createLimiter({ limits: [perSecond(1)] }))).toThrow(/fetch: expected a function/);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it("rejects for an invalid URL, as fetch does", async () => {
    const { get } = client([{}]);
    const answer = get("no url");
    await expect(answer).rejects.toThrow(TypeError);
  });

  it("waits for maxWait at most in all: under the server's limits, the limiter's, and before retries", async () => {
    const policy = { "RateLimit-Policy": '"a";q=1;w=6' };
    const { clock, get, limiter, sent } = client([{ headers: policy }], { learn: true, maxWait: "10s" }, [
      perSecond(1),
    ]);
    await get(URL_A);
    // The server's limit lets the next one pass after 6 s, the limiter after 11 s.
    limiter.block("a.example", "11s");
    await expect(get(URL_A)).rejects.toBeInstanceOf(DeniedError);
    limiter.unblock("a.example");
    const tries = client([{ status: 503, headers: { "Retry-After": "4" } }], { retries: 5, maxWait: "10s" });
    const answer = tries.get(URL_A);
    for (let i = 0; i < 2; i += 1) {
      await until(() => tries.limiter.blockedUntil("a.example") === tries.clock.now() + 4_000);
      tries.clock.advance(4_000);
    }
    const last = await answer;
    expect([last.status, await last.text(), tries.clock.now() - START_MS]).toEqual([503, "answer 3", 8_000]);
    clock.advance(6_000);
    await get(URL_A);
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 6_000]);
  });

  it.each<[string, LimitedFetchOptions]>([
    ["may not wait so long", { maxWait: "5s" }],
    ["finds too many that wait", {}],
  ])("returns the answer, with its body, where a retry %s", async (_name, options) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1)], clock, maxWaiting: 1 });
    const get = limitedFetch(limiter, {
      clock,
      retries: 3,
      ...options,
      fetch: async () => {
        limiter.block("a.example", 1);
        const waits = limiter.wait("a.example");
        waits.catch(() => {});
        return new Response("later", { status: 429, headers: { "Retry-After": "60" } });
      },
    });
    const response = await get(URL_A);
    expect([response.status, await response.text()]).toEqual([429, "later"]);
  });

  it("ends a block by unblock: the limiter's, and its own where the limiter could not be told", async () => {
    const told = client([{ status: 429, headers: { "Retry-After": "60" } }, {}]);
    await told.get(URL_A);
    expect(told.limiter.unblock("a.example")).toBe(true);
    expect((await told.get(URL_A)).status).toBe(200);

    const other = client([{ status: 429, headers: { "Retry-After": "60" } }, {}], {}, [perSecond(100)], true);
    await other.get(URL_A);
    const next = other.get(URL_A);
    await settled();
    expect([other.sent.length, await other.get.unblock("a.example"), (await next).status]).toEqual([1, true, 200]);
    expect(await other.get.unblock("a.example")).toBe(false);
  });

  it("ends a wait under a learned limit by unblock", async () => {
    const { clock, get, sent } = client([{ headers: { "RateLimit-Policy": '"a";q=1;w=86400' } }], { learn: true });
    await get(URL_A);
    await get(URL_A);
    const next = get(URL_A);
    await settled();
    clock.advance(1_000);
    expect([sent.length, await get.unblock("a.example"), (await next).status, sent.length]).toEqual([2, true, 200, 3]);
  });

  it("keeps the blocks of a thousand inputs if the limiter cannot be told, and forgets the oldest", async () => {
    const { get } = client([{ status: 429, headers: { "Retry-After": "60" } }], {}, [perSecond(100)], true);
    for (let i = 0; i < 1_101; i += 1) await get(`https://h${i}.example/`);
    expect([await get.unblock("h100.example"), await get.unblock("h101.example")]).toEqual([false, true]);
  });
});
