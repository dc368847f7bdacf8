import { combine } from "tollgate";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { ANN, fileOf, LOGIN, PLACE, setUp, TWO_RULES } from "./domain-set-up.ts";

describe.each(EVERY_STORE)("the limiter of a domain, over %s", (_name, storeOf) => {
  it("tells the units in which its rules count, those of plans and keys too", () => {
    const { limits } = setUp(storeOf, {
      all: { rate: "1/1s" },
      llm: { by: "descriptor.user", rate: { tokens: "5/1s" }, keys: { ann: { quota: { images: "9/1d" } } } },
    });
    expect([...limits.units("api")].sort()).toEqual(["images", "requests", "tokens"]);
    expect(() => limits.units("nowhere")).toThrow("domain: expected one that the limits file has");
  });

  it("decides a batch as single calls would", async () => {
    const { limiter } = setUp(storeOf, { ...TWO_RULES, costly: { match: { path: "/x" }, quota: "9/1d", cost: 5 } });
    const out = new Uint8Array(7);
    const inputs = [ANN, LOGIN, LOGIN, LOGIN, { ...ANN, path: "/x" }, { ...ANN, path: "/x" }, ANN];
    expect(await limiter.allowMany(inputs, out)).toBe(5);
    expect([...out]).toEqual([1, 1, 1, 0, 1, 0, 1]);
    const { size } = limiter as { readonly size: unknown };
    expect(typeof size === "function" ? await limiter.size() : size).toBe(3);
    await limiter.clear();
    expect((await limiter.peek(ANN, 0)).remaining).toBe(10);
  });

  it("counts nothing of a batch in which a request needs a place", async () => {
    const { limiter } = setUp(storeOf, {
      client: { by: "ip", quota: "9/1d" },
      job: { match: { path: "/job" }, inflight: PLACE },
    });
    const batch = async () => limiter.allowMany([ANN, { ...ANN, path: "/job" }], new Uint8Array(2));
    await expect(batch()).rejects.toThrow("allowMany: expected limits whose units come back with time");
    expect((await limiter.peek(ANN, 0)).remaining).toBe(9);
  });

  it("follows the file between two calls, while handles and reservations stay with theirs", async () => {
    const { limits, limiter } = setUp(storeOf, TWO_RULES);
    const handle = limiter.handle(LOGIN);
    const reservation = await limiter.reserve(LOGIN);
    limits.update(fileOf({ client: { by: "ip", quota: "5/1d" } }));
    expect((await limiter.consume(LOGIN)).limits.map(({ name }) => name)).toEqual(["client.quota"]);
    await reservation.cancel();
    expect((await handle.consume(2)).limits.map(({ name }) => name)).toEqual(["client.quota", "login.quota"]);
    expect(await handle.allow()).toBe(false);
    expect((await limiter.peek(LOGIN, 0)).remaining).toBe(2);
  });

  it("gives back what a rule alone took, whichever version of the file is loaded", async () => {
    const { limits, limiter } = setUp(storeOf, TWO_RULES);
    const first = await limiter.consume(ANN);
    const second = await limiter.consume(ANN);
    await limiter.refund(ANN, 1, first);
    expect((await limiter.peek(ANN, 0)).remaining).toBe(9);
    limits.update(fileOf({ ...TWO_RULES, client: { by: "ip", quota: "20/1d" } }));
    await limiter.refund(ANN, 1, second);
    await limiter.refund(ANN, 1, second);
    expect((await limiter.peek(ANN, 0)).remaining).toBe(20);
  });

  it("throws while the file does not have the domain", async () => {
    const { limits, limiter } = setUp(storeOf, TWO_RULES);
    await limiter.consume(ANN);
    limits.update({ version: 1, domains: { web: { limits: TWO_RULES } } });
    await expect(async () => limiter.consume(ANN)).rejects.toThrow('expected one that the limits file has, got "api"');
    expect(() => limits.limiter("api")).toThrow("expected one that the limits file has");
    expect(limits.domains).toEqual(["web"]);
    limits.update(fileOf(TWO_RULES));
    expect((await limiter.peek(ANN, 0)).remaining).toBe(9);
  });

  it("waits, also while another version of the file is loaded", async () => {
    const { limits, limiter, clock } = setUp(storeOf, { client: { by: "ip", rate: "1/1s" } });
    await limiter.consume(ANN);
    const waited = limiter.wait(ANN);
    const wrapped = limiter.wrap(async () => "done", { input: ANN })();
    limits.update(fileOf({ client: { by: "ip", rate: "2/1s" } }));
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await waited).allowed).toBe(true);
    expect(await wrapped).toBe("done");
  });

  it("is part of a combination, with its rules and their costs", async () => {
    const { limits, limiter, other } = setUp(storeOf, {
      client: { by: "ip", quota: "100/1d" },
      heavy: {
        match: { path: "/heavy" },
        quota: { requests: "100/1d", tokens: "50/1d" },
        cost: { requests: 5, tokens: 9 },
      },
    });
    const all = combine(other("all", 100), limiter, other("tokens", 100, "tokens"));
    const heavy = { ...ANN, path: "/heavy" };
    expect(await all.consume(heavy)).toMatchObject({ allowed: true });
    const used = async () => (await all.explain(heavy)).map(({ limiter: name, used: count }) => `${name} ${count}`);
    expect(await used()).toEqual(["all 1", "api/client 1", "api/heavy 5", "api/heavy 9", "tokens 9"]);
    expect((await all.consume(heavy, { tokens: 42 })).allowed).toBe(false);
    await all.consume(ANN);
    expect(await used()).toEqual(["all 2", "api/client 2", "api/heavy 5", "api/heavy 9", "tokens 9"]);
    limits.update(fileOf({ client: { by: "ip", quota: "2/1d" } }));
    expect(await all.consume(ANN)).toMatchObject({ allowed: false, limiter: "api/client" });
    expect((await all.peek(ANN, 0)).limits.map(({ name }) => name)).toEqual(["all", "client.quota", "tokens"]);
    const outer = combine(all, other("outer", 7));
    expect((await outer.peek(ANN, 0)).limits.map(({ name }) => name)).toEqual([
      "all",
      "client.quota",
      "tokens",
      "outer",
    ]);
    expect(() => combine(all, limiter)).toThrow('got "api" twice');
  });

  it("counts in a combination of domains the greatest cost that one states", async () => {
    const { limits } = setUp(storeOf, TWO_RULES);
    const rule = (cost: number) => ({ limits: { all: { quota: "100/1d" as const, cost } } });
    limits.update({ version: 1, domains: { few: rule(2), many: rule(7), last: rule(3) } });
    const domains = limits.domains.map((name) => limits.limiter(name));
    const all = combine(domains[0]!, domains[1]!, domains[2]!);
    await all.consume(ANN);
    expect((await all.explain(ANN)).map(({ used }) => used)).toEqual([7, 7, 7]);
    await all.consume(ANN, 1);
    expect((await all.explain(ANN)).map(({ used }) => used)).toEqual([8, 8, 8]);
  });
});
