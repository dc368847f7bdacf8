import { describe, expect, it } from "vitest";
import { type LogEntry, type LogFormat, openLog } from "../../src/log/log.ts";

function linesOf(format: LogFormat, ...entries: LogEntry[]): { readonly out: string[]; readonly error: string[] } {
  const out: string[] = [];
  const error: string[] = [];
  const output = { out: (line: string) => void out.push(line), error: (line: string) => void error.push(line) };
  const log = openLog(format, output, () => new Date("2026-11-23T07:25:06.123Z"));
  for (const entry of entries) log(entry);
  return { out, error };
}

const SWEEP: LogEntry = { level: "info", event: "sweep", fields: { limiter: "client", removed: 3, left: undefined } };
const FAILED: LogEntry = {
  level: "error",
  event: "failed",
  text: "GET /\nfailed:\u2028\u0007it",
  fields: { path: "/\n" },
};

describe("the log as text", () => {
  it("has the event and its fields, or a sentence, on one line", () => {
    const { out, error } = linesOf("text", SWEEP, FAILED, { level: "warn", event: "stopping" });
    expect(out).toEqual(["sweep limiter=client removed=3", "stopping"]);
    expect(error).toEqual(["GET / failed: it"]);
  });
});

describe("the log as JSON", () => {
  it("has an object on each line, with its time, level, event, sentence and fields", () => {
    const { out, error } = linesOf("json", SWEEP, FAILED);
    expect(out).toEqual([
      '{"time":"2026-11-23T07:25:06.123Z","level":"info","event":"sweep","msg":"sweep limiter=client removed=3",' +
        '"limiter":"client","removed":3}',
    ]);
    expect(error).toHaveLength(1);
    expect(error[0]).not.toContain("\n");
    expect(JSON.parse(error[0] ?? "")).toMatchObject({ level: "error", msg: "GET / failed: it", path: "/\n" });
  });

  it("has no control that a terminal would obey", () => {
    const { out } = linesOf("json", { level: "info", event: "x", fields: { path: "/\u009b31m\u007f\u0085\u2028" } });
    expect(out[0]).toContain('"path":"/\\u009b31m\\u007f\\u0085\\u2028"');
  });
});
