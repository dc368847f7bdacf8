import { beforeEach, describe, expect, it, vi } from "vitest";
import { SampledLog } from "../../src/log/sampled-log.ts";

const INTERVAL_MS = 10_000;

describe("a sampled log", () => {
  beforeEach(() => void vi.useFakeTimers());
  function sample(most: number): {
    readonly lines: string[];
    readonly sampled: SampledLog;
    note(source: string): void;
  } {
    const lines: string[] = [];
    const sampled = new SampledLog(({ event }) => void lines.push(event), {
      most,
      intervalMs: INTERVAL_MS,
      leftOut: (count) => ({ level: "warn", event: `left out ${count}` }),
    });
    const note = (source: string) => {
      sampled.note(
        () => source,
        () => ({ level: "info", event: source }),
      );
    };
    return { lines, sampled, note };
  }

  it("logs each source once in an interval, and counts the rest when it ends", () => {
    const { lines, note } = sample(3);
    for (const source of ["ann", "ann", "bob", "ann", "bob"]) note(source);
    expect(lines).toEqual(["ann", "bob"]);
    vi.advanceTimersByTime(INTERVAL_MS - 1);
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(lines).toEqual(["ann", "bob", "left out 3"]);
  });

  it("logs no more entries than it may, however many sources there are", () => {
    const { lines, note } = sample(3);
    for (let source = 0; source < 1_000; source += 1) note(String(source));
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(lines).toEqual(["0", "1", "2", "left out 997"]);
  });

  it("tells when it is flushed what it left out, once", () => {
    const { lines, sampled, note } = sample(1);
    note("ann");
    note("bob");
    sampled.flush();
    sampled.flush();
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(lines).toEqual(["ann", "left out 1"]);
  });
});
