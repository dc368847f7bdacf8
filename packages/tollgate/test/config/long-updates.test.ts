import { memoryStore } from "tollgate";
import { createLimits, type LimitsFile, type RuleWords } from "tollgate/config";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Lines } from "../../src/limiter/waiting/lines.ts";

const RULES = 2_000;
const KEYS = 5_000;
/** Each step takes a millisecond on the clock of these tests, and work pauses after ten. */
const STEPS_IN_TURN = 10;
const RULE_TURNS = RULES / (STEPS_IN_TURN + 1);
const KEY_TURNS = KEYS / (STEPS_IN_TURN + 1);

const address = (key: number): string => `10.0.${key >> 8}.${key & 255}`;

function fileOf(limits: Readonly<Record<string, RuleWords>>): LimitsFile {
  return { version: 1, domains: { api: { limits } } };
}

function rulesOf(count: number, words: RuleWords): LimitsFile {
  return fileOf(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, { match: { path: `/${i}` }, ...words }])),
  );
}

function keysOf(rate: `${number}/1s`, lastUnit: string): LimitsFile {
  const keys = Array.from({ length: KEYS }, (_, i) => [address(i), { rate: "2/1s" }]);
  const last = [address(KEYS), { rate: { [lastUnit]: "2/1s" } }];
  return fileOf({ client: { by: "ip", rate, keys: Object.fromEntries([...keys, last]) } });
}

/** How often an update lets other work run: it waits for a timer each time. */
async function pausesOf(update: () => Promise<unknown>): Promise<number> {
  const timers = vi.spyOn(globalThis, "setTimeout");
  await slowly(update);
  const pauses = timers.mock.calls.length;
  timers.mockRestore();
  return pauses;
}

/** A millisecond passes between two readings of the clock meanwhile. */
async function slowly(update: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  let nowMs = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += 1;
    return nowMs;
  });
  await update();
  vi.useRealTimers();
}

describe("an update in steps", () => {
  it("lets other work run between rules, and between the keys of a rule", async () => {
    const limits = createLimits(rulesOf(1, { rate: "1/1s" }));
    // Compiled, and put into an index.
    expect(await pausesOf(() => limits.updateInSteps(rulesOf(RULES, { rate: "1/1s" })))).toBeGreaterThan(
      2 * RULE_TURNS,
    );
    // Costs are compared and named, too.
    const cost = { tokens: { from: "header.cost" } } as const;
    const costly = rulesOf(RULES, { rate: { tokens: "1/1s" }, cost });
    expect(await pausesOf(() => limits.updateInSteps(costly))).toBeGreaterThan(4 * RULE_TURNS);
    expect(await pausesOf(() => limits.updateInSteps(keysOf("1/1s", "tokens")))).toBeGreaterThan(KEY_TURNS);
    const facts = { ip: address(KEYS - 1) };
    expect(limits.consume("api", facts, { requests: 2 }).allowed).toBe(true);
    expect(limits.consume("api", facts, { requests: 1 }).allowed).toBe(false);
  });

  it("counts the units that only the last key of a rule has", async () => {
    const limits = createLimits(rulesOf(1, { rate: "1/1s" }));
    await limits.updateInSteps(keysOf("1/1s", "tokens"));
    const last = { ip: address(KEYS) };
    expect(limits.consume("api", last, { tokens: 3 }).allowed).toBe(false);
    expect(limits.consume("api", last, { tokens: 2 }).allowed).toBe(true);
  });
});

describe("limiters of the version before", () => {
  const closed: string[] = [];

  beforeEach(() => {
    closed.length = 0;
    const { close } = Lines.prototype;
    vi.spyOn(Lines.prototype, "close").mockImplementation(function (this: Lines) {
      closed.push(this.limiter);
      close.call(this);
    });
  });
  const USED = 500;

  function setUp() {
    const limits = createLimits(rulesOf(RULES, { rate: "9/1h" }), { store: memoryStore() });
    for (let i = 0; i < USED; i += 1) limits.consume("api", { path: `/${i}` });
    return limits;
  }

  it("are closed in steps by an update in steps", async () => {
    const limits = setUp();
    await slowly(() => limits.updateInSteps(rulesOf(RULES, { rate: "8/1h" })));
    expect(limits.peek("api", { path: "/1" }, 0).remaining).toBe(7);
    const atFirst = closed.length;
    expect(atFirst).toBeLessThan(USED);
    await vi.waitFor(() => expect(new Set(closed).size).toBe(USED));
    expect(closed).toHaveLength(USED);
  });
});

describe("a domain of a file that is loaded again", () => {
  const words = (limits: Readonly<Record<string, RuleWords>>, ignoreCase = false): LimitsFile => {
    return { version: 1, domains: { api: { ignoreCase, limits } } };
  };
  const one = words({ a: { by: "host", rate: "1/1s", keys: { x: "deny", y: { rate: "2/1s" } } }, b: { rate: "1/1s" } });

  /** Whether the limiter of a rule stays. */
  function stays(other: LimitsFile): boolean {
    const closed = vi.spyOn(Lines.prototype, "close");
    const limits = createLimits(one, { store: memoryStore() });
    limits.consume("api", {});
    limits.update(other);
    const { length } = closed.mock.calls;
    closed.mockRestore();
    return length === 0;
  }

  it("stays if nothing in it differs, and the rules and keys have the same order", () => {
    expect(stays(structuredClone(one))).toBe(true);
    const { a, b } = one.domains["api"]!.limits as { readonly a: RuleWords; readonly b: RuleWords };
    for (const other of [
      words({ a, b }, true),
      words({ b, a }),
      words({ a, b: { rate: "2/1s" } }),
      words({ a: { ...a, mode: "shadow" }, b }),
      words({ a: { ...a, keys: { y: { rate: "2/1s" }, x: "deny" } }, b }),
      words({ a: { ...a, keys: { x: "deny" } }, b }),
    ]) {
      expect(stays(other)).toBe(false);
    }
  });
});

describe("a domain that the file has no longer", () => {
  const file = (domain: string): LimitsFile => ({
    version: 1,
    domains: { [domain]: { limits: { all: { rate: "9/1s" } } } },
  });

  it("has the same limiter when it comes back, unless a hundred others have gone since", () => {
    const limits = createLimits(file("d0"));
    const limiter = limits.limiter("d0");
    for (let i = 1; i <= 100; i += 1) limits.update(file(`d${i}`));
    limits.update(file("d0"));
    expect(limits.limiter("d0")).toBe(limiter);
    expect(limiter.allow({})).toBe(true);
    for (let i = 1; i <= 101; i += 1) limits.update(file(`d${i}`));
    limits.update(file("d0"));
    expect(limits.limiter("d0")).not.toBe(limiter);
    limits.close();
  });
});
