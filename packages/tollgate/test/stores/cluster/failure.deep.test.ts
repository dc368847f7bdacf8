import { createLimiter, memoryStore, perHour, perMinute } from "tollgate";
import type { ClusterStoreOptions } from "tollgate/cluster";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { PrimaryProcess } from "./primary-process.ts";

const PATIENT = { timeout: 30_000, interval: 20 };

/** A limiter over the store with this name of a primary, which may not have it yet. */
function limiterOf(primary: PrimaryProcess, name: string, options: ClusterStoreOptions = {}, limits = [perHour(10)]) {
  const store = primary.store(name, { warnings: false, ...options });
  onTestFinished(() => store.close());
  return createLimiter({ name: "api", limits, store });
}

function startPrimary(): PrimaryProcess {
  const primary = new PrimaryProcess();
  onTestFinished(() => primary.end());
  return primary;
}

describe("while the primary does not answer", () => {
  it("calls are decided by onFailure, and one that is ready later counts from then on", async () => {
    const primary = startPrimary();
    const limiter = limiterOf(primary, "late", { onFailure: "deny", timeout: "50ms", connectTimeout: 0 });
    expect(await limiter.consume("ann")).toMatchObject({ allowed: false, degraded: "timed out" });
    expect(await limiter.consume("ann")).toMatchObject({ allowed: false, degraded: "circuit open" });
    await expect(limiter.reset("ann")).rejects.toMatchObject({ code: "ERR_STORE" });
    await primary.serveAs("late");
    await vi.waitFor(async () => expect((await limiter.peek("ann")).degraded).toBeUndefined(), PATIENT);
    expect(await limiter.consume("ann")).toMatchObject({ allowed: true, remaining: 9 });
  });

  it("the first calls wait for the first answer", async () => {
    const primary = startPrimary();
    const limiter = limiterOf(primary, "soon", { onFailure: "deny", timeout: "1ms", connectTimeout: "60s" });
    const decided = limiter.consume("ann");
    await primary.serveAs("soon");
    expect((await decided).degraded).not.toBe("circuit open");
  });

  it("a stopped primary takes nothing that was decided without it, but takes back what is given back", async () => {
    const primary = startPrimary();
    const observe = vi.fn<(observation: { readonly type: string }) => void>();
    const limiter = limiterOf(primary, await primary.serve(), { timeout: "200ms", observe });
    const reserved = await limiter.reserve("ann", 4);
    const isBack = async () => expect((await limiter.peek("ann")).degraded).toBeUndefined();
    primary.child.kill("SIGSTOP");
    expect(await limiter.consume("ann", 3)).toMatchObject({ allowed: true, degraded: "timed out" });
    expect(await limiter.consume("ann", 3)).toMatchObject({ allowed: true, degraded: "circuit open" });
    primary.child.kill("SIGCONT");
    await vi.waitFor(isBack, PATIENT);
    expect((await limiter.peek("ann", 0)).remaining).toBe(6);
    primary.child.kill("SIGSTOP");
    await reserved.cancel();
    primary.child.kill("SIGCONT");
    await vi.waitFor(isBack, PATIENT);
    expect((await limiter.peek("ann", 0)).remaining).toBe(10);
    expect(observe.mock.calls.map(([{ type }]) => type)).toEqual(["down", "up", "down", "up"]);
  });

  it("a primary that has died leaves the decision to onFailure at once, by a fraction of each limit", async () => {
    const primary = startPrimary();
    const onFailure = { fallback: memoryStore(), share: 0.5 };
    const limiter = limiterOf(primary, await primary.serve(), { timeout: "1h", onFailure });
    expect((await limiter.consume("ann")).degraded).toBeUndefined();
    primary.end();
    const decided = await Promise.all(Array.from({ length: 7 }, () => limiter.consume("ann")));
    expect(decided.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(decided.every(({ degraded }) => degraded === "connection lost")).toBe(true);
  });

  it("another primary goes on with counts of its own, and receipts of the one before give it nothing back", async () => {
    const primary = startPrimary();
    const name = await primary.serve();
    const limiter = limiterOf(primary, name, { timeout: "100ms" });
    const reserved = await limiter.reserve("ann", 6);
    await primary.stop(name);
    await primary.serveAs(name);
    await vi.waitFor(async () => expect((await limiter.peek("ann", 0)).remaining).toBe(10), PATIENT);
    await limiter.consume("ann", 3);
    await reserved.cancel();
    expect((await limiter.peek("ann", 0)).remaining).toBe(7);
  });
});

describe("beside other traffic", () => {
  const primary = new PrimaryProcess();
  afterAll(() => primary.end());

  it("messages of the application pass by, and those of other stores", async () => {
    const [limiter, other] = [limiterOf(primary, await primary.serve()), limiterOf(primary, await primary.serve())];
    for (const message of ["text", 7, true, [], { topic: "tollgate/cluster:store 1" }, { data: { topic: "x" } }]) {
      primary.child.send(message);
      primary.child.emit("message", message);
    }
    await limiter.consume("ann", 4);
    expect([(await limiter.peek("ann", 0)).remaining, (await other.peek("ann", 0)).remaining]).toEqual([6, 10]);
  });

  it("a flood is denied beyond maxPending, in calls and in characters of keys", async () => {
    const limiter = limiterOf(primary, await primary.serve(), { maxPending: 100 }, [perHour(1_000_000)]);
    const flood = await Promise.all(Array.from({ length: 1_000 }, (_, i) => limiter.consume(`${i}`)));
    expect(flood.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(flood.filter(({ degraded }) => degraded === "overloaded")).toHaveLength(900);
    const roomy = limiterOf(primary, await primary.serve());
    const long = "x".repeat(2 ** 23);
    const keys = await Promise.all(Array.from({ length: 5 }, (_, i) => roomy.consume(long + i)));
    expect(keys.map(({ allowed }) => allowed)).toEqual([true, true, false, false, false]);
  });

  it("workers with other limits carry over, and observers are told of it", async () => {
    const name = await primary.serve();
    const [from, to] = [[perMinute(5, { name: "calls" })], [perMinute(8, { name: "calls" })]];
    const [before, after] = [limiterOf(primary, name, {}, from), limiterOf(primary, name, {}, to)];
    const observe = vi.fn<(observation: { readonly type: string }) => void>();
    after.observe(observe);
    await before.consume("ann", 4);
    expect((await after.consume("ann")).remaining).toBe(3);
    expect(observe).toHaveBeenCalledWith(expect.objectContaining({ type: "change", key: "ann", from, to }));
  });

  it("a take that exhausts a limit blocks its key, and one without a slot is told so", async () => {
    const name = await primary.serve("memory", { maxKeys: 2, overflow: "deny" });
    const limiter = limiterOf(primary, name, {}, [perHour(1, { blockFor: "2h" })]);
    expect(await limiter.consume("ann")).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume("ann")).toMatchObject({ allowed: false });
    expect(await limiter.blockedUntil("ann")).toBeGreaterThan(Date.now() + 6_000_000);
    expect(await limiter.consume("ann")).toMatchObject({ allowed: false, reason: "blocked" });
    expect(await limiter.consume("bob")).toMatchObject({ allowed: false, reason: "store-full" });
  });

  it("an error of the primary's store is that of the call", async () => {
    const name = await primary.serve("table", { maxKeys: 10_000, maxBytes: 100_000 });
    await expect(limiterOf(primary, name).consume("ann")).rejects.toMatchObject({ code: "ERR_LIMITS" });
  });
});
