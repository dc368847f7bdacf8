import { memoryStore } from "tollgate";
import { createLimits, parseLimits } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { LimitsDecider } from "../../src/envoy/limits-decider.ts";
import { OK, OVER_LIMIT, type RateLimitDescriptor } from "../../src/envoy/messages.ts";

const LIMITS = `
version: 1
domains:
  edge:
    limits:
      address: { match: { descriptor: { remote_address: "*" } }, by: ip, quota: 5/1m }
      path: { match: { descriptor: { path: "/login*" } }, by: descriptor.path, within: 2/15m }
      tokens: { match: { descriptor: { user: "*" } }, by: user, rate: 10/1s, burst: 20 }
      banned: { match: { descriptor: { user: mallory } }, limit: deny }
      jobs: { match: { descriptor: { job: "*" } }, inflight: { max: 1, ttl: 1m } }
`;

type Entries = Readonly<Record<string, string>>;
type Options = Partial<Pick<RateLimitDescriptor, "hitsAddend" | "isNegativeHits">>;

function descriptor(entries: Entries, options: Options = {}): RateLimitDescriptor {
  const list = Object.entries(entries).map(([key, value]) => ({ key, value }));
  return { entries: list, isNegativeHits: false, ...options };
}

function deciderOf() {
  const limits = createLimits(parseLimits(LIMITS, { yaml }), { store: memoryStore(), clock: manualClock(45_000) });
  const decider = new LimitsDecider(limits);
  const ask = (descriptors: readonly RateLimitDescriptor[], hitsAddend = 0, domain = "edge") =>
    decider.decide({ domain, descriptors, hitsAddend });
  return { limits, ask };
}

describe("Envoy's protocol over a limits file", () => {
  it("answers each descriptor with its limit, what is left and when more is, and headers for the client", async () => {
    const { ask } = deciderOf();
    const { overallCode, statuses, responseHeadersToAdd } = await ask([
      descriptor({ remote_address: "192.0.2.1" }),
      descriptor({ path: "/login/x" }),
      descriptor({ user: "ann" }),
      descriptor({ other: "x" }),
    ]);
    expect(overallCode).toBe(OK);
    expect(statuses).toEqual([
      {
        code: OK,
        currentLimit: { name: "address.quota", requestsPerUnit: 5, unit: 2 },
        limitRemaining: 4,
        durationUntilReset: { seconds: 15 },
      },
      {
        code: OK,
        currentLimit: { name: "path.within", requestsPerUnit: 2, unit: 0 },
        limitRemaining: 1,
        durationUntilReset: { seconds: 900 },
      },
      {
        code: OK,
        currentLimit: { name: "tokens.rate", requestsPerUnit: 10, unit: 1 },
        limitRemaining: 19,
        durationUntilReset: { seconds: 1 },
      },
      { code: OK, limitRemaining: 2 ** 32 - 1 },
    ]);
    expect(responseHeadersToAdd).toEqual([
      {
        key: "RateLimit-Policy",
        value: '"address.quota";q=5;w=60, "path.within";q=2;w=900, "tokens.rate";q=20;w=2',
      },
      { key: "RateLimit", value: '"path.within";r=1;t=900' },
    ]);
  });

  it("counts all descriptors or none", async () => {
    const { ask } = deciderOf();
    const both = [descriptor({ remote_address: "192.0.2.1" }), descriptor({ path: "/login" })];
    expect((await ask(both, 2)).overallCode).toBe(OK);
    const denied = await ask(both);
    expect(denied.overallCode).toBe(OVER_LIMIT);
    expect(denied.statuses.map(({ code, limitRemaining }) => [code, limitRemaining])).toEqual([
      [OK, 3],
      [OVER_LIMIT, 0],
    ]);
    expect(denied.responseHeadersToAdd?.at(-1)).toEqual({ key: "Retry-After", value: "900" });
    expect((await ask([both[0]!], 3)).overallCode).toBe(OK);
  });

  it("takes hits as the cost, looks with none, and gives negative ones back", async () => {
    const { ask } = deciderOf();
    const address = { remote_address: "192.0.2.1" };
    const left = async (options: Options) => (await ask([descriptor(address, options)], 1)).statuses[0]?.limitRemaining;
    expect(await left({ hitsAddend: { value: 4 } })).toBe(1);
    expect(await left({ hitsAddend: { value: 0 } })).toBe(1);
    expect(await left({ hitsAddend: { value: 3 }, isNegativeHits: true })).toBe(4);
    expect(await left({})).toBe(3);
    expect((await ask([descriptor(address)], 4)).overallCode).toBe(OVER_LIMIT);
  });

  it("gives nothing back if the rest of the request is denied", async () => {
    const { ask } = deciderOf();
    const used = { remote_address: "192.0.2.1" };
    await ask([descriptor(used)], 5);
    const back = descriptor(used, { hitsAddend: { value: 2 }, isNegativeHits: true });
    expect((await ask([back, descriptor({ user: "mallory" })])).overallCode).toBe(OVER_LIMIT);
    expect((await ask([descriptor(used)])).overallCode).toBe(OVER_LIMIT);
    await ask([back]);
    expect((await ask([descriptor(used)], 2)).overallCode).toBe(OK);
  });

  it("allows what no rule counts and what the file does not have, and denies what a rule does", async () => {
    const { ask } = deciderOf();
    expect((await ask([descriptor({ user: "mallory" })])).statuses).toEqual([{ code: OVER_LIMIT, limitRemaining: 0 }]);
    const unknown = await ask([descriptor({ user: "mallory" })], 0, "elsewhere");
    expect(unknown).toEqual({ overallCode: OK, statuses: [{ code: OK, limitRemaining: 2 ** 32 - 1 }] });
  });

  it("refuses a rule with places, because the protocol does not say when a request is over", async () => {
    const { ask } = deciderOf();
    await expect(ask([descriptor({ job: "j" })])).rejects.toMatchObject({ code: "ERR_LIMITS" });
  });

  it("reads a key that comes twice as both of its values", async () => {
    const { ask } = deciderOf();
    const twice = { entries: [...descriptor({ user: "a" }).entries, ...descriptor({ user: "b" }).entries] };
    await ask([{ ...twice, isNegativeHits: false }]);
    expect((await ask([descriptor({ user: "a, b" })])).statuses[0]?.limitRemaining).toBe(18);
    expect((await ask([descriptor({ user: "a" })])).statuses[0]?.limitRemaining).toBe(19);
  });
});
