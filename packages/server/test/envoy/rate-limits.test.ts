import { memoryStore } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { OK, OVER_LIMIT, type RateLimitDescriptor, type RateLimitResponse } from "../../src/envoy/messages.ts";
import { toStruct } from "../../src/envoy/rate-limit-method.ts";
import { RateLimits } from "../../src/envoy/rate-limits.ts";
import { configurationOf } from "./configurations.ts";

const MINUTE_MS = 60_000;

interface Options {
  readonly shadow?: boolean;
}

/** Decides requests of a domain `d` with these descriptors. */
function decider(descriptors: string, { shadow = false }: Options = {}) {
  const clock = manualClock(10 * MINUTE_MS);
  const read = (text: string) => configurationOf(`domain: d\ndescriptors:\n${text}`);
  const limits = new RateLimits({ store: memoryStore(), clock, configuration: read(descriptors), shadow });
  const decide = (...all: (string | Partial<RateLimitDescriptor>)[]): Promise<RateLimitResponse> =>
    limits.decide({ domain: "d", hitsAddend: 0, descriptors: all.map(descriptorOf) });
  return { clock, limits, decide, reload: (text: string) => limits.replace(read(text)) };
}

function descriptorOf(given: string | Partial<RateLimitDescriptor>): RateLimitDescriptor {
  const { entries = [], ...others } = typeof given === "string" ? { entries: entriesOf(given) } : given;
  return { entries, isNegativeHits: false, ...others };
}

/** `"a=1 b=2"` as entries. */
function entriesOf(text: string): RateLimitDescriptor["entries"] {
  return text.split(" ").map((part) => {
    const [key = "", value = ""] = part.split("=");
    return { key, value };
  });
}

const PER_MINUTE = "rate_limit: {unit: minute, requests_per_unit: 2}";
const ADDRESS = `  - {key: address, ${PER_MINUTE}}`;

describe("a descriptor with a limit", () => {
  it("is over it after as many hits as the limit says, and tells what is left and until when", async () => {
    const { decide, clock } = decider(ADDRESS);
    clock.advance(12_345);
    const currentLimit = { requestsPerUnit: 2, unit: 2, name: "" };
    const durationUntilReset = { seconds: 48 };
    expect(await Promise.all([1, 2, 3].map(() => decide("address=a")))).toEqual([
      { overallCode: OK, statuses: [{ code: OK, currentLimit, limitRemaining: 1, durationUntilReset }] },
      { overallCode: OK, statuses: [{ code: OK, currentLimit, limitRemaining: 0, durationUntilReset }] },
      {
        overallCode: OVER_LIMIT,
        statuses: [{ code: OVER_LIMIT, currentLimit, limitRemaining: 0, durationUntilReset }],
      },
    ]);
    expect((await decide("address=b")).overallCode).toBe(OK);
    clock.advance(MINUTE_MS);
    expect((await decide("address=a")).overallCode).toBe(OK);
  });

  it("counts hits that go over the limit, so that a late report closes it", async () => {
    const { decide } = decider(ADDRESS);
    const hits = (value: number) => ({ entries: entriesOf("address=a"), hitsAddend: { value } });
    expect((await decide(hits(5))).overallCode).toBe(OVER_LIMIT);
    expect((await decide(hits(1))).overallCode).toBe(OVER_LIMIT);
  });

  it("counts nothing with 0 hits, and gives back negative hits", async () => {
    const { decide } = decider(ADDRESS);
    const entries = entriesOf("address=a");
    const look = async () => (await decide({ entries, hitsAddend: { value: 0 } })).statuses[0];
    expect(await look()).toMatchObject({ code: OK, limitRemaining: 2 });
    await decide({ entries, hitsAddend: { value: 2 } });
    expect((await Promise.all([look(), look()])).map((status) => [status?.code, status?.limitRemaining])).toEqual([
      [OK, 0],
      [OK, 0],
    ]);
    await decide({ entries, hitsAddend: { value: 1 } });
    expect((await look())?.code).toBe(OVER_LIMIT);
    const given = (await decide({ entries, hitsAddend: { value: 2 }, isNegativeHits: true })).statuses[0];
    expect(given).toMatchObject({ code: OK, limitRemaining: 1 });
    await decide({ entries, hitsAddend: { value: 1_000 }, isNegativeHits: true });
    expect(await look()).toMatchObject({ limitRemaining: 2 });
  });

  it("takes the request's hits without its own, of which 0 counts as 1", async () => {
    const { limits } = decider(ADDRESS);
    const ask = (hitsAddend: number) =>
      limits.decide({ domain: "d", hitsAddend, descriptors: [descriptorOf("address=a")] });
    expect((await ask(0)).statuses[0]?.limitRemaining).toBe(1);
    expect((await ask(2)).overallCode).toBe(OVER_LIMIT);
  });

  it("bears the largest number of hits that the protocol has", async () => {
    const { decide } = decider(ADDRESS);
    const hits = { toNumber: () => 2 ** 64 };
    const most = { entries: entriesOf("address=a"), hitsAddend: { value: hits } };
    for (let i = 0; i < 3; i += 1) expect((await decide(most)).overallCode).toBe(OVER_LIMIT);
  });
});

describe("several descriptors", () => {
  it("each count, also when another is over its limit, and the request is over if one is", async () => {
    const { decide } = decider(`${ADDRESS}\n  - {key: path, rate_limit: {unit: hour, requests_per_unit: 100}}`);
    for (let i = 0; i < 5; i += 1) await decide("address=a", "path=x");
    const last = await decide("address=a", "path=x");
    expect(last.overallCode).toBe(OVER_LIMIT);
    expect(last.statuses.map(({ code, limitRemaining }) => [code, limitRemaining])).toEqual([
      [OVER_LIMIT, 0],
      [OK, 94],
    ]);
  });

  it("are each allowed without a rule, in a domain that is not known, and where a rule says unlimited", async () => {
    const { decide, limits } = decider("  - {key: staff, rate_limit: {unlimited: true}}");
    expect(await decide("staff=a", "other=b")).toEqual({
      overallCode: OK,
      statuses: [
        { code: OK, limitRemaining: 4_294_967_295 },
        { code: OK, limitRemaining: 0 },
      ],
    });
    const limit = { requestsPerUnit: 0, unit: 1 };
    const unknown = { domain: "x", hitsAddend: 0, descriptors: [{ ...descriptorOf("staff=a"), limit }] };
    expect(await limits.decide(unknown)).toMatchObject({ overallCode: OK });
  });

  it("do not meet by gluing keys and values together", async () => {
    const { decide } = decider(`  - {key: a, ${PER_MINUTE}}\n  - {key: a_b, ${PER_MINUTE}}`);
    await decide("a=b_c");
    expect((await decide("a_b=c")).statuses[0]?.limitRemaining).toBe(1);
  });
});

describe("a long value", () => {
  const configuration = configurationOf(
    "domain: d\ndescriptors: [{key: path, rate_limit: {unit: minute, requests_per_unit: 1}}]",
  );
  const long = "x".repeat(60_000);
  const asking = (value: string) => ({ domain: "d", hitsAddend: 0, descriptors: [descriptorOf(`path=${value}`)] });

  it("counts for itself", async () => {
    const limits = new RateLimits({ store: memoryStore(), clock: manualClock(), configuration });
    const ask = async (value: string) => (await limits.decide(asking(value))).overallCode;
    expect(await Promise.all([ask(`${long}a`), ask(`${long}b`), ask(`${long}a`)])).toEqual([OK, OK, OVER_LIMIT]);
  });
});

describe("a rule", () => {
  it("of 0 denies, and counts nothing", async () => {
    const { decide } = decider("  - {key: banned, rate_limit: {unit: day, requests_per_unit: 0}}");
    expect(await decide("banned=a")).toMatchObject({
      overallCode: OVER_LIMIT,
      statuses: [{ code: OVER_LIMIT, currentLimit: { requestsPerUnit: 0, unit: 4 }, limitRemaining: 0 }],
    });
  });

  it("in shadow mode says OK when it is over", async () => {
    const { decide } = decider(`  - {key: address, shadow_mode: true, ${PER_MINUTE}}`);
    const [, , third] = await Promise.all([1, 2, 3].map(() => decide("address=a")));
    expect(third).toMatchObject({ overallCode: OK, statuses: [{ code: OK, limitRemaining: 0 }] });
  });

  it("that another one replaces does not count", async () => {
    const { decide } = decider(`
  - {key: all, rate_limit: {unit: minute, requests_per_unit: 1, name: base}}
  - {key: special, rate_limit: {unit: minute, requests_per_unit: 9, replaces: [{name: base}]}}`);
    for (let i = 0; i < 3; i += 1) expect((await decide("all=a", "special=a")).overallCode).toBe(OK);
    expect((await decide("all=a", "special=a")).statuses[0]).toEqual({ code: OK, limitRemaining: 0 });
    expect([(await decide("all=a")).overallCode, (await decide("all=a")).overallCode]).toEqual([OK, OVER_LIMIT]);
  });

  it("with quota_mode closes a request only when all such rules are over", async () => {
    const { decide } = decider(`
  - {key: one, quota_mode: true, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: two, quota_mode: true, rate_limit: {unit: minute, requests_per_unit: 2}}`);
    expect(await Promise.all([1, 2, 3].map(async () => (await decide("one=a", "two=a")).overallCode))).toEqual([
      OK,
      OK,
      OVER_LIMIT,
    ]);
    expect((await decide("one=a", "other=x")).overallCode).toBe(OVER_LIMIT);
  });

  it("gives its metadata to Envoy", async () => {
    const { decide } = decider(`  - {key: address, metadata: {tier: free, weights: [1, true, null]}, ${PER_MINUTE}}`);
    expect(toStruct((await decide("address=a")).dynamicMetadata ?? {})).toEqual({
      fields: {
        tier: { stringValue: "free" },
        weights: { listValue: { values: [{ numberValue: 1 }, { boolValue: true }, { nullValue: 0 }] } },
      },
    });
  });

  it("gives way to the override of a request", async () => {
    const { decide } = decider(ADDRESS);
    const overridden = { entries: entriesOf("address=a"), limit: { requestsPerUnit: 3, unit: 3 } };
    expect(await Promise.all([1, 2, 3, 4].map(async () => (await decide(overridden)).overallCode))).toEqual([
      OK,
      OK,
      OK,
      OVER_LIMIT,
    ]);
    const never = { entries: entriesOf("new=a"), limit: { requestsPerUnit: 0, unit: 1 } };
    expect((await decide(never)).overallCode).toBe(OVER_LIMIT);
  });
});

describe("the service", () => {
  it("in shadow mode says OK, and what its limits say", async () => {
    const { decide } = decider(ADDRESS, { shadow: true });
    const [, , third] = await Promise.all([1, 2, 3].map(() => decide("address=a")));
    expect(third).toMatchObject({ overallCode: OK, statuses: [{ code: OVER_LIMIT }] });
  });

  it("keeps the counts of a window when a reload changes a number", async () => {
    const { decide, reload } = decider(ADDRESS);
    for (let i = 0; i < 2; i += 1) await decide("address=a");
    reload("  - {key: address, rate_limit: {unit: minute, requests_per_unit: 5}}");
    expect((await decide("address=a")).statuses[0]).toMatchObject({ code: OK, limitRemaining: 2 });
    reload("  - {key: address, rate_limit: {unit: minute, requests_per_unit: 3}}");
    expect((await decide("address=a")).overallCode).toBe(OVER_LIMIT);
  });

  it.each([
    ["an empty domain", { domain: "", descriptors: [descriptorOf("a=b")] }],
    ["no descriptor", { domain: "d", descriptors: [] }],
    ["too many descriptors", { domain: "d", descriptors: Array.from({ length: 101 }, () => descriptorOf("a=b")) }],
    [
      "too many entries",
      {
        domain: "d",
        descriptors: [{ ...descriptorOf("a=b"), entries: Array.from({ length: 33 }, () => ({ key: "a", value: "" })) }],
      },
    ],
  ])("refuses %s before it counts", async (_, request) => {
    const { limits } = decider(ADDRESS);
    await expect(limits.decide({ hitsAddend: 0, ...request })).rejects.toMatchObject({ status: 400 });
  });
});
