import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { memoryStore, type Store, TollgateError } from "tollgate";
import { type RateLimitStorage, rateLimitStorage } from "tollgate/better-auth";
import { beforeEach, describe, expect, it, vi } from "vitest";

const ALLOWED = { allowed: true, retryAfter: null };

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
describe("rateLimitStorage", () => {
  it("admits as many requests as the rule says in any window, by key", async () => {
    const storage = rateLimitStorage();
    const ask = (key: string) => storage.consume(key, { window: 10, max: 2 });
    expect(await ask("a")).toEqual(ALLOWED);
    vi.advanceTimersByTime(6_000);
    expect([await ask("a"), await ask("a"), await ask("b")]).toEqual([
      ALLOWED,
      { allowed: false, retryAfter: 4 },
      ALLOWED,
    ]);
    vi.advanceTimersByTime(4_000);
    expect([await ask("a"), (await ask("a")).allowed]).toEqual([ALLOWED, false]);
  });

  it("counts the requests of each rule of a key for themselves", async () => {
    const storage = rateLimitStorage();
    expect(await storage.consume("a", { window: 10, max: 1 })).toEqual(ALLOWED);
    expect(await storage.consume("a", { window: 60, max: 1 })).toEqual(ALLOWED);
    expect(await storage.consume("a", { window: 60, max: 2 })).toEqual(ALLOWED);
    expect(await storage.consume("a", { window: 60, max: 2 })).toEqual({ allowed: false, retryAfter: 60 });
  });

  it("admits exactly the maximum of many requests at once", async () => {
    const storage = rateLimitStorage({ store: memoryStore(), name: "logins" });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => storage.consume("a", { window: 10, max: 7 })));
    expect(outcomes.filter(({ allowed }) => allowed)).toHaveLength(7);
  });

  it.each([
    { window: 0, max: 3 },
    { window: 10, max: Number.NaN },
    { window: Number.POSITIVE_INFINITY, max: 1.5 },
    undefined,
  ])("denies or allows without an error for the rule %j, and warns", async (rule) => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const broken = rule as { window: number; max: number };
    const denied = await rateLimitStorage().consume("a", broken);
    expect(denied).toEqual({ allowed: false, retryAfter: rule?.window === 10 ? 10 : 1 });
    expect(await rateLimitStorage({ onError: "allow" }).consume("a", broken)).toEqual(ALLOWED);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it("refuses options that it does not know", () => {
    expect(() => rateLimitStorage({ stores: 1 } as object)).toThrow(TollgateError);
    expect(() => rateLimitStorage({ onError: "throw" } as object)).toThrow("onError");
    expect(() => rateLimitStorage({ store: {} as Store })).toThrow(TollgateError);
  });
});

describe("Better Auth", () => {
  function signIns(customStorage: RateLimitStorage, trustedProxies: string[]) {
    const auth = betterAuth({
      baseURL: "http://localhost:3000",
      secret: "a secret of the tests that is long enough",
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      emailAndPassword: { enabled: true },
      rateLimit: { enabled: true, customStorage },
      advanced: { ipAddress: { trustedProxies } },
      logger: { disabled: true },
    });
    return async (forwarded: string | undefined) => {
      const body = JSON.stringify({ email: "ann@example.com", password: "wrong password" });
      const headers = { "Content-Type": "application/json", ...(forwarded && { "X-Forwarded-For": forwarded }) };
      const request = new Request("http://localhost:3000/api/auth/sign-in/email", { method: "POST", headers, body });
      const { status, headers: answered } = await auth.handler(request);
      return status === 429 ? `429 ${answered.get("x-retry-after")}` : String(status);
    };
  }

  it("denies the fourth sign-in of an address in ten seconds", async () => {
    const signIn = signIns(rateLimitStorage(), []);
    const ann = [
      await signIn("192.0.2.1"),
      await signIn("192.0.2.1"),
      await signIn("192.0.2.1"),
      await signIn("192.0.2.1"),
    ];
    expect(ann).toEqual(["401", "401", "401", "429 10"]);
    expect(await signIn("192.0.2.2")).toBe("401");
  });

  it("has one bucket for all clients without an address, and for those behind proxies that it does not trust", async () => {
    const signIn = signIns(rateLimitStorage(), []);
    for (let i = 1; i < 4; i += 1) expect(await signIn(`192.0.2.${i}, 10.0.0.1`)).toBe("401");
    expect([await signIn("192.0.2.9, 10.0.0.1"), await signIn(undefined)]).toEqual(["429 10", "429 10"]);
    const trusting = signIns(rateLimitStorage(), ["10.0.0.1"]);
    for (let i = 1; i < 6; i += 1) expect(await trusting(`192.0.2.${i}, 10.0.0.1`)).toBe("401");
  });

  it("answers when the storage cannot count", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const store = memoryStore();
    const broken = { ...store, kind: "async", open: () => ({ apply: () => Promise.reject(new Error("gone")) }) };
    const signIn = signIns(rateLimitStorage({ store: broken as unknown as Store }), []);
    expect(await signIn("192.0.2.1")).toMatch(/^429 \d+$/);
    expect(warn).toHaveBeenCalled();
  });
});
