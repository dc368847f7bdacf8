import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { combine, createLimiter, perDay, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { argumentsOfCalls } from "../kit/script-calls.ts";
import { useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key-${i}`);
}

/** The number of keys of each script call while the work is done. */
async function keysOfCalls(work: () => Promise<unknown>): Promise<number[]> {
  return (await argumentsOfCalls(inUse.redis.client, work)).map(([, count]) => Number(count));
}

describe("the calls of one turn", () => {
  it("calls of all verbs and limiters of one turn are one script call", async () => {
    const { redis } = inUse;
    const store = redis.store();
    const limiter = createLimiter({ name: "api", limits: [perDay(10), perSecond(50)], store });
    const other = createLimiter({ name: "other", limits: [slidingWindow({ limit: 10, window: "1h" })], store });
    const both = combine(limiter, other);
    // Loads the script.
    await both.allow("another");
    const calls = await redis.callsOf(() =>
      Promise.all([
        ...keys(40).map((key) => limiter.allow(key)),
        limiter.consume("a"),
        limiter.peek("b"),
        limiter.explain("c"),
        limiter.charge("d", 2),
        limiter.refund("e", 1),
        limiter.allowMany(["f", "g"], new Uint8Array(2)),
        limiter.handle("h").allow(),
        other.allow("a"),
        both.allow("i"),
      ]),
    );
    expect(calls).toBe(1);
  });

  it("the calls of the next turn are another script call", async () => {
    const { redis } = inUse;
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: redis.store() });
    await limiter.allow("another");
    const calls = await redis.callsOf(async () => {
      const first = limiter.allow("a");
      await new Promise(setImmediate);
      await Promise.all([first, limiter.allow("b")]);
    });
    expect(calls).toBe(2);
  });

  it("script calls have at most 128 keys by default", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: inUse.redis.store() });
    expect(await keysOfCalls(() => Promise.all(keys(300).map((key) => limiter.allow(key))))).toEqual([128, 128, 44]);
    expect(await keysOfCalls(() => Promise.all(keys(128).map((key) => limiter.consume(key))))).toEqual([128]);
  });

  it.each<[boolean | number, number[]]>([
    [10, [10, 10, 5]],
    [1, Array.from({ length: 25 }, () => 1)],
    [false, Array.from({ length: 25 }, () => 1)],
    [true, [25]],
    [1_024, [25]],
  ])("script calls have at most as many keys as batch allows: %s", async (batch, counts) => {
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: inUse.redis.store({ batch }) });
    expect(await keysOfCalls(() => Promise.all(keys(25).map((key) => limiter.allow(key))))).toEqual(counts);
  });

  it("a key counts once per script call", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(1_000)], store: inUse.redis.store({ batch: 3 }) });
    const asked = () => Promise.all(Array.from({ length: 90 }, (_, i) => limiter.consume(`key-${i % 2}`)));
    expect(await keysOfCalls(asked)).toEqual([2]);
  });

  it("calls from several sockets in one turn are one script call", async () => {
    const { redis } = inUse;
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: redis.store() });
    const decided: Promise<boolean>[] = [];
    const server = createServer((socket) => {
      socket.on("data", (data) => decided.push(limiter.allow(String(data))));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as { port: number };
    for (let i = 0; i < 20; i += 1) sockets.push(connect(port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await new Promise((resolve) => setTimeout(resolve, 20));
    // Written in one turn, so that all bytes can be read in the next one.
    const calls = await redis.callsOf(async () => {
      for (const [i, socket] of sockets.entries()) socket.write(`user-${i}`);
      while (decided.length < 20) await new Promise(setImmediate);
      await Promise.all(decided);
    });
    expect(calls).toBeLessThanOrEqual(2);
  });
});

describe("a hot key", () => {
  it("identical calls of a hot key are one transaction", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(300)], store: inUse.redis.store() });
    let allowed: readonly boolean[] = [];
    const calls = await argumentsOfCalls(inUse.redis.client, async () => {
      allowed = await Promise.all(Array.from({ length: 1_000 }, () => limiter.allow("hot")));
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]!.length).toBeLessThan(40);
    // The first calls are admitted, in order.
    expect(allowed).toEqual(Array.from({ length: 1_000 }, (_, i) => i < 300));
  });

  it("many calls with figures of their own are sent in slices", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(2_000)], store: inUse.redis.store() });
    let admitted = 0;
    const asked = async () => {
      const decisions = await Promise.all(Array.from({ length: 2_500 }, () => limiter.consume("hot")));
      admitted = decisions.filter(({ allowed }) => allowed).length;
    };
    // A slice has about a thousand steps. The last slice reaches the limit, and answers the rest.
    expect(await keysOfCalls(asked)).toEqual([1, 1, 1]);
    expect(admitted).toBe(2_000);
  });

  it("calls of different costs and verbs keep their order", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: inUse.redis.store() });
    const turn = [
      limiter.allow("hot", 6),
      limiter.allow("hot", 6),
      limiter.allow("hot", 4),
      limiter.allow("hot", 1),
      limiter.refund("hot", 3),
      limiter.allow("hot", 2),
      limiter.consume("hot", 1).then(({ allowed }) => allowed),
      limiter.allow("hot", 0),
      limiter.charge("hot", 5).then(({ allowed }) => allowed),
      limiter.allow("hot", 0),
      limiter.reset("hot"),
      limiter.allow("hot", 10),
      limiter.allow("hot", 1),
    ];
    const told = [true, false, true, false, undefined, true, true, true, false, false, undefined, true, false];
    expect(await Promise.all(turn)).toEqual(told);
  });
});

describe("the time of calls in one turn", () => {
  it("each limiter's calls have the time of its own clock", async () => {
    const { redis } = inUse;
    const store = redis.storeByClock();
    const [late, early] = [manualClock(NOW_MS + 3_600_000), manualClock(NOW_MS)];
    const limits = [perSecond(2)];
    const one = createLimiter({ name: "one", limits, clock: late, store });
    const other = createLimiter({ name: "other", limits, clock: early, store });
    await Promise.all([one.allow("ann", 2), other.allow("ann", 2), one.allow("bob", 2)]);
    late.advance(500);
    early.advance(499.999);
    const turn = [one.allow("ann"), other.allow("ann"), one.allow("ann"), other.allow("bob"), one.allow("bob")];
    expect(await Promise.all(turn)).toEqual([true, false, false, true, true]);
  });

  it("each call has its own time if the clock goes back", async () => {
    const { redis } = inUse;
    const clock = manualClock(NOW_MS);
    const store = redis.storeByClock();
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    const memory = createLimiter({ name: "api", limits: [perSecond(2)], clock });
    const turn: Promise<boolean>[] = [];
    const expected: boolean[] = [];
    for (const step of [0, 0, 500, -500, 499.999, 0.001, -1_000, 2_000, -0.001, 0, 0]) {
      clock.advance(step);
      turn.push(limiter.allow("ann"));
      expected.push(memory.allow("ann"));
      // Prevents that calls join.
      clock.advance(-0.001);
      void limiter.peek("bob");
      clock.advance(0.001);
    }
    expect(await Promise.all(turn)).toEqual(expected);
  });

  it("each call has its own time if the clock advances within the turn", async () => {
    const clock = manualClock(NOW_MS);
    const limiter = createLimiter({ name: "api", limits: [perSecond(1)], clock, store: inUse.redis.storeByClock() });
    await limiter.allow("ann");
    const early = limiter.allow("ann");
    clock.advance(1_000);
    expect(await Promise.all([early, limiter.allow("ann")])).toEqual([false, true]);
  });
});
