import { describe, expect, it } from "vitest";
import { readAutocannon } from "../http/generator/autocannon.ts";
import { readVersion, readWrk } from "../http/generator/wrk.ts";

const HEAD = `Running 3s test @ http://127.0.0.1:40001/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.37ms  406.93us  14.21ms   93.13%
    Req/Sec    46.95k     3.93k   52.93k    83.33%
`;
const TAIL = `Requests/sec:  46686.10
Transfer/sec:      7.75MB
`;

describe("readWrk", () => {
  it("reads how many requests were made in which time", () => {
    const printed = `${HEAD}  140193 requests in 3.01s, 23.26MB read\n${TAIL}`;
    expect(readWrk(printed)).toEqual({ requests: 140_193, seconds: 3.01 });
  });

  it.each([
    ["1.50m", 90],
    ["500.00ms", 0.5],
  ])("knows what %s is", (time, seconds) => {
    expect(readWrk(`${HEAD}  12 requests in ${time}, 1.00KB read\n${TAIL}`)).toEqual({ requests: 12, seconds });
  });

  it.each(["Socket errors: connect 0, read 3, write 0, timeout 0", "Non-2xx or 3xx responses: 17"])(
    "takes no errors: %s",
    (line) => {
      const printed = `${HEAD}  140193 requests in 3.01s, 23.26MB read\n  ${line}\n${TAIL}`;
      expect(() => readWrk(printed)).toThrow(line);
    },
  );

  it("takes nothing else", () => {
    expect(() => readWrk("unable to connect")).toThrow("expected a line with the requests");
  });
});

describe("readVersion", () => {
  it.each([
    ["wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\nUsage: wrk\n", "4.1.0-3+b2"],
    ["wrk 4.2.0 [kqueue] Copyright (C) 2012 Will Glozer\n", "4.2.0"],
    ["", "of unknown version"],
  ])("%j", (printed, version) => {
    expect(readVersion(printed)).toBe(version);
  });
});

describe("readAutocannon", () => {
  const result = { requests: { total: 90_000, average: 30_000 }, duration: 3.02, errors: 0, timeouts: 0, non2xx: 0 };

  it("reads how many requests were made in which time", () => {
    expect(readAutocannon(JSON.stringify(result))).toEqual({ requests: 90_000, seconds: 3.02 });
  });

  it.each(["errors", "timeouts", "non2xx"])("takes no %s", (trouble) => {
    expect(() => readAutocannon(JSON.stringify({ ...result, [trouble]: 2 }))).toThrow("2");
  });
});
