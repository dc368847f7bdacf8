import { describe, expect, it } from "vitest";
import { readAutocannon, readVersion, readWrk } from "../http/generator.ts";
import { faultIn } from "../http/measure.ts";

describe("the output of a load generator", () => {
  it.each([
    ["140193 requests in 3.01s, 23.26MB read", { requests: 140_193, seconds: 3.01 }],
    ["12 requests in 1.50m, 1.00KB read", { requests: 12, seconds: 90 }],
    ["12 requests in 500.00ms, 1.00KB read", { requests: 12, seconds: 0.5 }],
  ])("of wrk: %s", (line, throughput) => {
    expect(readWrk(`Running 3s test\n  ${line}\nRequests/sec:  46686.10\n`)).toEqual(throughput);
  });

  it.each([
    "Socket errors: connect 0, read 3, write 0, timeout 0",
    "Non-2xx or 3xx responses: 17",
    "expected a line with the number of requests",
  ])("of wrk with an error throws: %s", (line) => {
    expect(() => readWrk(line.startsWith("expected") ? "" : `12 requests in 1s, 1KB\n  ${line}\n`)).toThrow(line);
  });

  it.each([
    ["wrk debian/4.1.0-3+b2 [epoll] Copyright", "4.1.0-3+b2"],
    ["wrk 4.2.0 [kqueue] Copyright", "4.2.0"],
    ["", "of unknown version"],
  ])("has the version: %j", (printed, version) => {
    expect(readVersion(printed)).toBe(version);
  });

  it("of autocannon throws for an error of any kind", () => {
    const result = { requests: { total: 9_000 }, duration: 3.02, errors: 0, timeouts: 0, non2xx: 0 };
    expect(readAutocannon(JSON.stringify(result))).toEqual({ requests: 9_000, seconds: 3.02 });
    for (const kind of ["errors", "timeouts", "non2xx"]) {
      expect(() => readAutocannon(JSON.stringify({ ...result, [kind]: 2 }))).toThrow("2");
    }
  });
});

describe("a response to an admitted request", () => {
  const TWO = ["ratelimit-policy", "ratelimit"];

  it.each([
    [200, "hello", ["date"], [], undefined],
    [200, "hello", ["date", ...TWO], TWO, undefined],
    [429, "hello", [], [], "expected status 200, got 429"],
    [200, "bye", [], [], "expected the body hello, got bye"],
    [200, "hello", ["ratelimit"], TWO, "expected the headers ratelimit-policy"],
    [200, "hello", TWO, [], "expected no headers ratelimit-policy, ratelimit"],
    [200, "hello", [...TWO, "x-ratelimit-limit"], TWO, "expected no headers x-ratelimit-limit"],
  ])("of status %d, body %s and headers %j, where %j are due: %s", (status, body, headers, due, fault) => {
    expect(faultIn({ status, body, headers }, { headers: due })).toBe(fault);
  });
});
