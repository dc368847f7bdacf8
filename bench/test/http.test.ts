import { describe, expect, it } from "vitest";
import { readWrk } from "../http/generator.ts";
import { faultIn } from "../http/measure.ts";

describe("the output of a load generator", () => {
  it("has requests and seconds", () => {
    const printed = (line: string) => `Running 3s test\n  ${line}, 23.26MB read\nRequests/sec:  46686.10\n`;
    expect(readWrk(printed("140193 requests in 3.01s"))).toEqual({ requests: 140_193, seconds: 3.01 });
    expect(readWrk(printed("12 requests in 1.50m"))).toEqual({ requests: 12, seconds: 90 });
    expect(readWrk(printed("12 requests in 500.00ms"))).toEqual({ requests: 12, seconds: 0.5 });
    expect(() => readWrk("unable to connect")).toThrow("expected a line with the number of requests");
  });

  it.each(["Socket errors: connect 0, read 3, write 0, timeout 0", "Non-2xx or 3xx responses: 17"])(
    "with errors of wrk throws: %s",
    (line) => {
      expect(() => readWrk(`12 requests in 1s, 1KB\n  ${line}\n`)).toThrow(line);
    },
  );
});

describe("a response to an admitted request", () => {
  const TWO = ["ratelimit-policy", "ratelimit"];

  it.each([
    [200, "hello", ["date", ...TWO], TWO, undefined],
    [429, "hello", [], [], "expected status 200, got 429"],
    [200, "bye", [], [], "expected the body hello, got bye"],
    [200, "hello", ["ratelimit"], TWO, "expected the headers ratelimit-policy"],
    [200, "hello", [...TWO, "x-ratelimit-limit"], TWO, "expected no headers x-ratelimit-limit"],
  ])("of status %d, body %s and headers %j, where %j are due: %s", (status, body, headers, due, fault) => {
    expect(faultIn({ status, body, headers }, { headers: due })).toBe(fault);
  });
});
