import { describe, expect, it } from "vitest";
import { judgeThreads, THREAD_TARGETS } from "../threads/report/targets.ts";
import { threadResults, threadRow } from "./support/thread-results.ts";

const SPEED = "across threads, hot key by handle, 1 thread, coarse clock";
const SCALE = "across threads, hot key by handle, 4 threads over 1, coarse clock";
const RUST = "across threads, 100,000 keys, over the table in Rust, 2 threads";

function judged(text: string, results: Parameters<typeof judgeThreads>[1]) {
  const target = THREAD_TARGETS.find((one) => one.text === text);
  if (target === undefined) throw new Error(`no target says ${text}`);
  return judgeThreads(target, results);
}

describe("a target across threads", () => {
  it.each([
    [28e6, "28.0 million/s", "reached"],
    [27.9e6, "27.9 million/s", "missed"],
  ])("of a speed: %d a second", (one, measured, verdict) => {
    const results = threadResults({ "threads-hot": [threadRow("shared-handle-coarse", { 1: one, 2: 99e6 })] });
    expect(judged(SPEED, results)).toEqual({ text: SPEED, aim: "≥ 28 million/s", measured, verdict });
  });

  it.each([
    [18e6, "0.60 ×", "reached"],
    [17e6, "0.57 ×", "missed"],
  ])("of another number of threads: %d over 30 million", (four, measured, verdict) => {
    const results = threadResults({ "threads-hot": [threadRow("shared-handle-coarse", { 1: 30e6, 4: four })] });
    expect(judged(SCALE, results)).toEqual({ text: SCALE, aim: "≥ 0.6 ×", measured, verdict });
  });

  it("of another row", () => {
    const results = threadResults({
      "threads-keys": [threadRow("shared-strings", { 2: 7e6 }), threadRow("rust-table", { 1: 70e6, 2: 20e6 })],
    });
    expect(judged(RUST, results)).toMatchObject({ measured: "0.35 ×", verdict: "reached" });
  });

  it("that was not measured, or has nothing to be compared with, is neither", () => {
    const nothing = threadResults({});
    expect(new Set(THREAD_TARGETS.map((one) => judgeThreads(one, nothing).verdict))).toEqual(new Set(["not measured"]));
    const alone = threadResults({ "threads-keys": [threadRow("shared-strings", { 2: 7e6 })] });
    expect(judged(RUST, alone).verdict).toBe("not measured");
  });

  it("has a text of its own", () => {
    expect(new Set(THREAD_TARGETS.map(({ text }) => text)).size).toBe(THREAD_TARGETS.length);
  });
});
