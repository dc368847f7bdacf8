import { createLimits, type Limits, type LimitsFile, parseLimits } from "tollgate/config";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { LimitsInForce, type OwnChange } from "../../src/limits/limits-in-force.ts";
import type { RuleOverride } from "../../src/limits/rule-overrides.ts";

const RULES = 1_200;

function fileOf(rate: number, rules: number = RULES): LimitsFile {
  const limits: Record<string, object> = { client: { by: "ip", rate: `${rate}/1m` } };
  for (let i = 1; i < rules; i += 1) limits[`r${i}`] = { match: { path: `/${i}` }, by: "ip", rate: "9/1m" };
  return parseLimits(JSON.stringify({ version: 1, domains: { api: { limits } } }), { file: "limits.json" });
}

interface Opened {
  readonly inForce: LimitsInForce;
  readonly limits: Limits;
  readonly clock: ManualClock;
  readonly changes: OwnChange[];
  /** The rates of the rule `client` that came into force, and its modes. */
  readonly installed: string[];
}

function open(file: LimitsFile = fileOf(1)): Opened {
  const clock = manualClock();
  const limits = createLimits(file, { clock });
  const changes: OwnChange[] = [];
  const installed: string[] = [];
  const inForce = new LimitsInForce({
    limits,
    file,
    clock,
    onOwnChange: (change) => void changes.push(change),
    onInstall: ({ domains }) => {
      const { rate, mode = "enforce" } = domains["api"]?.limits["client"] ?? {};
      installed.push(`${JSON.stringify(rate)} ${mode}`);
    },
  });
  return { inForce, limits, clock, changes, installed };
}

/** Loses if other work has not run before. */
function otherWork(): Promise<string> {
  return new Promise((resolve) => void setImmediate(() => resolve("other work")));
}

/** A millisecond passes between two readings of the system's clock: compiling pauses after ten. */
function slowClock(): void {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  let nowMs = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => {
    nowMs += 1;
    return nowMs;
  });
}

function overrideOf(mode: RuleOverride["mode"], untilMs = 60_000): RuleOverride {
  return { domain: "api", rule: "client", mode, untilMs, by: "ann" };
}

const ANY = (): void => {};

describe("limits in force", () => {
  it("are compiled in steps, whatever the change, and requests in between see those before", async () => {
    slowClock();
    const { inForce, limits, clock } = open();
    const remaining = () => limits.peek("api", { ip: "192.0.2.1" }, 0).remaining;
    const changes: readonly (readonly [() => Promise<unknown>, before: number, after: number])[] = [
      [() => inForce.put(fileOf(5), ANY), 1, 5],
      [() => inForce.override(overrideOf("off")), 5, Number.POSITIVE_INFINITY],
      [() => inForce.endOverride("api", "client"), Number.POSITIVE_INFINITY, 5],
      [() => inForce.returnToFiles(ANY), 5, 1],
      [() => inForce.takeFiles(fileOf(7)), 1, 7],
    ];
    for (const [make, before, after] of changes) {
      const made = make();
      expect(await Promise.race([made, otherWork()])).toBe("other work");
      expect(remaining()).toBe(before);
      await made;
      expect(remaining()).toBe(after);
    }
    await inForce.override(overrideOf("off"));
    clock.advance(60_000);
    await otherWork();
    expect(remaining()).toBe(Number.POSITIVE_INFINITY);
    // A change waits for those before.
    await inForce.endOverride("api", "other");
    expect(remaining()).toBe(7);
  });

  it("are changed one after another, in the order of the calls", async () => {
    const { inForce, installed } = open();
    const versions: string[] = [];
    await Promise.all([
      inForce.put(fileOf(2), (version) => void versions.push(version)),
      inForce.override(overrideOf("shadow")),
      inForce.takeFiles(fileOf(3)),
      inForce.put(fileOf(4), (version) => void versions.push(version)),
      inForce.endOverride("api", "client"),
      inForce.returnToFiles(ANY),
    ]);
    expect(installed.map((text) => text.replaceAll('"', ""))).toEqual([
      "1/1m enforce",
      "2/1m enforce",
      "2/1m shadow",
      "3/1m shadow",
      "4/1m shadow",
      "4/1m enforce",
      "3/1m enforce",
    ]);
    expect(new Set(versions).size).toBe(2);
    expect(inForce.source).toBe("files");
  });

  it("stay if the check of a change throws, and later changes are made", async () => {
    const { inForce, installed } = open();
    const refused = inForce.put(fileOf(2), () => {
      throw new Error("another version");
    });
    const next = inForce.put(fileOf(3), ANY);
    await expect(refused).rejects.toThrow("another version");
    expect(await next).toMatchObject({ source: "operator" });
    expect(installed).toHaveLength(2);
  });

  it("end overrides of rules that they do not have, and refuse those of unknown rules", async () => {
    const { inForce, changes } = open(fileOf(1, 2));
    const gone = { ...overrideOf("off"), rule: "r1" };
    expect(await inForce.override(gone)).toBe("set");
    await inForce.put(fileOf(1, 1), ANY);
    expect(inForce.overrides).toEqual([]);
    expect(changes).toEqual([{ what: "rule-gone", override: gone, source: "operator" }]);
    expect(await inForce.override(gone)).toBe("unknown");
  });
});
