import { Hono } from "hono";
import { concurrency, createLimiter, type Limiter } from "tollgate";
import { type HttpFacts, rateLimit } from "tollgate/fetch";
import { rateLimit as limitOfHono } from "tollgate/hono";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { AsyncTwin } from "../../testing/async-twin.ts";

const TTL_MS = 60_000;
const URL_HERE = "http://here.example/";

function onePlace(): {
  readonly limiter: Limiter<HttpFacts>;
  readonly clock: ManualClock;
  readonly used: () => number;
} {
  const clock = manualClock(START_MS);
  const key = (_facts: HttpFacts) => "all";
  const limiter = createLimiter({ key, limits: [concurrency({ max: 1, ttl: TTL_MS })], clock });
  return { limiter, clock, used: () => limiter.explain({} as HttpFacts)[0]!.used };
}

/** A body that never ends. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10)) });
}

describe("the place of a request to a fetch handler", () => {
  it("is held until the body has been read or cancelled", async () => {
    const { limiter, used } = onePlace();
    const handle = rateLimit({ limiter })(() => new Response("hello"));
    const response = await handle(new Request(URL_HERE));
    expect(used()).toBe(1);
    expect([await response.text(), used()]).toEqual(["hello", 0]);
    await (await handle(new Request(URL_HERE))).body?.cancel();
    expect(used()).toBe(0);
  });

  it("is freed when the request is aborted, before and after the handler has answered", async () => {
    const { limiter, used } = onePlace();
    const answers: ((response: Response) => void)[] = [];
    const handle = rateLimit({ limiter })(() => new Promise<Response>((resolve) => answers.push(resolve)));
    for (let i = 0; i < 2; i += 1) {
      const client = new AbortController();
      const answer = handle(new Request(URL_HERE, { signal: client.signal }));
      expect(used()).toBe(1);
      if (i === 1) answers[i]?.(new Response(endless()));
      if (i === 1) await answer;
      expect(used()).toBe(1);
      client.abort();
      expect(used()).toBe(0);
    }
  });

  it("is freed at once if the client went while the limiter was asked", async () => {
    const { limiter, used } = onePlace();
    const client = new AbortController();
    const skip = async () => {
      client.abort();
      return false;
    };
    let usedInHandler = -1;
    const handle = rateLimit({ limiter, skip })(() => {
      usedInHandler = used();
      return new Response(endless());
    });
    await handle(new Request(URL_HERE, { signal: client.signal }));
    expect([usedInHandler, used()]).toEqual([0, 0]);
  });

  it("is freed if the handler answers nothing, as for an upgrade on Bun, or fails", async () => {
    const { limiter, used } = onePlace();
    const limit = rateLimit({ limiter });
    const upgrade = limit(() => undefined);
    expect([await upgrade(new Request(URL_HERE)), used()]).toEqual([undefined, 0]);
    const failing = limit((): Response => {
      throw new Error("no answer");
    });
    await expect(failing(new Request(URL_HERE))).rejects.toThrow("no answer");
    expect(used()).toBe(0);
  });

  it.each(["fetch", "hono"])("is kept while the runtime keeps a stream, and no longer: %s", async (adapter) => {
    const { clock, limiter, used } = onePlace();
    const app = new Hono();
    app.use(limitOfHono({ limiter }));
    app.get("/", (context) => context.body(endless()));
    const handle =
      adapter === "hono" ? () => app.request("/") : rateLimit({ limiter })((_request) => new Response(endless()));
    const kept: Response[] = [await handle(new Request(URL_HERE))];
    clock.advance(10 * TTL_MS);
    expect(used()).toBe(1);
    kept.pop();
    for (let turn = 0; turn < 20 && used() > 0; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      (globalThis as { gc?: () => void }).gc!();
      clock.advance(TTL_MS);
    }
    expect(used()).toBe(0);
  });

  it("leaves no renewal behind", async () => {
    const pending = new Set<() => void>();
    const schedule = (callback: () => void) => {
      pending.add(callback);
      return () => pending.delete(callback);
    };
    const limits = [concurrency({ max: 1, ttl: TTL_MS })];
    const limiter = createLimiter({ key: () => "all", limits, clock: { now: () => START_MS, schedule } });
    const handle = rateLimit({ limiter, input: () => ({}) as HttpFacts })(() => new Response("hello"));
    const response = await handle(new Request(URL_HERE));
    for (const renew of [...pending]) {
      pending.delete(renew);
      renew();
    }
    expect(pending.size).toBe(1);
    await response.text();
    expect(pending.size).toBe(0);
  });

  it("keeps a Worker alive until it is freed in an asynchronous store, and does not delay the response", async () => {
    const store = new AsyncTwin();
    const limits = [concurrency({ max: 1, ttl: TTL_MS })];
    const limiter = createLimiter({ name: "far", key: (_facts: HttpFacts) => "all", limits, store });
    const tasks: Promise<unknown>[] = [];
    const context = { waitUntil: (task: Promise<unknown>) => void tasks.push(task) };
    const handle = rateLimit({ limiter })((_request: Request, _env: object, _context: object) => new Response("hello"));
    const response = await handle(new Request(URL_HERE), {}, context);
    const answer = store.hold();
    expect(await response.text()).toBe("hello");
    let isOver = false;
    const over = Promise.all(tasks).finally(() => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([store.corrections.length, isOver]).toEqual([1, false]);
    answer();
    await over;
    expect((await limiter.explain({} as HttpFacts))[0]?.used).toBe(0);
  });

  it("is freed if the response's headers cannot be made", async () => {
    let calls = 0;
    // The limiter asks the clock first, the headers ask it next.
    const now = () => {
      calls += 1;
      if (calls === 2) throw new Error("no time");
      return START_MS;
    };
    const limits = [concurrency({ max: 1, ttl: TTL_MS })];
    const limiter = createLimiter({ key: () => "all", limits, clock: { now } });
    const input = () => {
      calls = 0;
      return {} as HttpFacts;
    };
    const handle = rateLimit({ limiter, input, headers: "legacy" })(() => new Response("hello"));
    await expect(handle(new Request(URL_HERE))).rejects.toThrow("no time");
    expect(limiter.explain({})[0]?.used).toBe(0);
  });
});

describe("a place in real time", () => {
  it("is kept by timers that do not keep the process alive", async () => {
    const key = (_facts: HttpFacts) => "all";
    let nowMs = START_MS;
    const limits = [concurrency({ max: 1, ttl: 60 })];
    const limiter = createLimiter({ key, limits, clock: { now: () => nowMs } });
    const used = () => limiter.explain({} as HttpFacts)[0]!.used;
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const handle = rateLimit({ limiter })(() => new Response(endless()));
    const response = await handle(new Request(URL_HERE));
    expect(timers()).toBe(before);
    // A renewal is due before each pause ends, however late the event loop is.
    for (let pause = 0; pause < 5; pause += 1) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(used()).toBe(1);
      nowMs += 50;
    }
    await response.body?.cancel();
    expect(used()).toBe(0);
  });
});
