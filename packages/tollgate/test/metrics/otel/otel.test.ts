import { combine, createLimiter, perMinute } from "tollgate";
import { instrument } from "tollgate/otel";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { createMeter, createTracer, useContexts } from "./collected.ts";

const clock = manualClock(START_MS);

describe("the instruments of a meter", () => {
  it("have the readings of limiters and of their stores", async () => {
    const { meter, values, collect } = createMeter();
    const limiter = createLimiter({ name: "api", limits: [perMinute(5, { name: "calls" })], clock });
    const end = instrument(limiter, { meter, sample: 1, tokensOf: () => ["a"] });
    for (let call = 0; call < 7; call += 1) limiter.allow("a");
    limiter.consume("b");
    limiter.block("c", "1m");
    limiter.allow("c");
    await limiter.wait("b");
    const of = "rate_limit.limiter=api rate_limit.limit=calls";
    expect(await values("rate_limit.acquire.count")).toEqual([
      `${of} rate_limit.result=allow: 7`,
      `${of} rate_limit.result=deny: 2`,
      `${of} rate_limit.result=blocked: 1`,
    ]);
    expect(await values("rate_limit.near_limit.count")).toEqual([`${of}: 1`]);
    expect(await values("rate_limit.tokens")).toEqual([`${of} rate_limit.key=a: 0`]);
    expect((await values("rate_limit.acquire.duration"))[0]).toMatch(/^rate_limit.limiter=api: 9 in \d/);
    expect(await values("rate_limit.wait.duration")).toEqual(["rate_limit.limiter=api: 1 in 0"]);
    expect(await values("rate_limit.wait.active")).toEqual(["rate_limit.limiter=api: 0"]);
    expect(await values("rate_limit.store.keys")).toEqual(["rate_limit.store=memory: 3"]);
    expect(await values("rate_limit.store.blocked")).toEqual(["rate_limit.store=memory: 1"]);
    const described = (await collect()).map(({ descriptor: { name, unit, valueType } }) => [name, unit, valueType]);
    expect(described).toContainEqual(["rate_limit.acquire.duration", "s", 1]);
    expect(described).toContainEqual(["rate_limit.acquire.count", "{call}", 1]);
    end();
    limiter.allow("d");
    // The SDK goes on exporting what was observed last.
    expect(await values("rate_limit.store.keys")).toEqual(["rate_limit.store=memory: 3"]);
    expect((await values("rate_limit.acquire.count"))[0]).toBe(`${of} rate_limit.result=allow: 7`);
  });

  it("add the counts of limiters of one name, and know a store once", async () => {
    const { meter, values } = createMeter();
    const limiters = [1, 2].map(() => createLimiter({ name: "api", limits: [perMinute(5, { name: "calls" })], clock }));
    for (const limiter of limiters) {
      instrument(limiter, { meter });
      instrument(limiter, { meter, storeName: "main" });
      limiter.allow("a");
    }
    expect(await values("rate_limit.acquire.count")).toEqual([
      "rate_limit.limiter=api rate_limit.limit=calls rate_limit.result=allow: 4",
    ]);
    expect(await values("rate_limit.store.keys")).toEqual(["rate_limit.store=main: 2"]);
  });

  it("are those of the global provider by default, which does nothing without an SDK", () => {
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], clock });
    const end = instrument(limiter);
    expect([limiter.allow("a"), limiter.allow("a")]).toEqual([true, false]);
    end();
  });

  it("need options that fit", () => {
    const limiter = createLimiter({ limits: [perMinute(1)] });
    expect(() => instrument(limiter, { meter: {} as never })).toThrow("meter.createHistogram: expected a Meter of");
    expect(() => instrument(limiter, { tracer: {} as never })).toThrow("tracer.startSpan: expected a Tracer of");
    expect(() => instrument(limiter, { registry: false } as never)).toThrow('instrument: unknown option "registry"');
    expect(() => instrument({} as never)).toThrow("instrument: expected a limiter or a store");
  });
});

describe("a denied call", () => {
  it("adds an event to the active span, and no key", async () => {
    useContexts();
    const { meter } = createMeter();
    const { tracer, spans } = createTracer();
    const limiter = createLimiter({ name: "api", limits: [perMinute(1, { name: "calls" })], clock });
    const other = createLimiter({
      name: "other",
      limits: [perMinute(1, { name: "few" })],
      clock,
      store: new AsyncTwin(),
    });
    instrument(limiter, { meter, tracer });
    instrument(other, { meter, tracer });
    limiter.allow("a");
    limiter.allow("a");
    await other.allow("a");
    await tracer.startActiveSpan("request", async (span) => {
      limiter.allow("a");
      limiter.consume("a");
      await other.consume("a");
      limiter.allow("b");
      combine(limiter, createLimiter({ limits: [perMinute(9)], clock })).allow("a");
      span.end();
    });
    const events = spans()[0]?.events.map(({ name, attributes }) => [name, attributes]);
    const told = {
      "rate_limit.limiter": "api",
      "rate_limit.reason": "exhausted",
      "rate_limit.limit": "calls",
      "rate_limit.retry_after": 60,
    };
    expect(events).toEqual([
      ["rate_limit.denied", told],
      ["rate_limit.denied", told],
      ["rate_limit.denied", { ...told, "rate_limit.limiter": "other", "rate_limit.limit": "few" }],
      ["rate_limit.denied", told],
    ]);
  });

  it("adds none with tracer: false", async () => {
    useContexts();
    const { meter } = createMeter();
    const { tracer, spans } = createTracer();
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], clock });
    instrument(limiter, { meter, tracer: false });
    tracer.startActiveSpan("request", (span) => {
      limiter.allow("a");
      limiter.allow("a");
      span.end();
    });
    expect(spans()[0]?.events).toEqual([]);
  });
});
