import fc from "fast-check";
import { createLimiter, perHour } from "tollgate";
import { rateLimit } from "tollgate/fetch";
import { describe, expect, it } from "vitest";
import { CpuTimer } from "./cpu-time.ts";

const limiter = createLimiter({ key: () => "everybody", limits: [perHour(1)] });
const ask = rateLimit({ limiter })(() => new Response());

/** Whether a denied client gets a problem. */
async function getsProblem(accept: string | undefined, limited = ask): Promise<boolean> {
  const headers = new Headers(accept === undefined ? {} : { accept });
  await limited(new Request("http://here.example"));
  const { headers: got } = await limited(new Request("http://here.example", { headers }));
  return got.get("content-type") === "application/problem+json";
}

const PROBLEM: readonly string[] = [
  "application/problem+json",
  "APPLICATION/Problem+JSON",
  "application/problem+json, application/json",
  "application/json, application/problem+json",
  "application/json;q=0.9, application/problem+json",
  "application/json;q=0.5, application/problem+json;q=0.5",
  "application/json;q=0.5, application/problem+json;q=0.500",
  "application/problem+json;q=0.1, application/json;q=0.001",
  "application/problem+json;q=0.001",
  "application/problem+json;q=1.000",
  "application/problem+json;q=1.",
  "application/problem+json;Q=0.1",
  "application/problem+json ; charset=utf-8 ; q=0.1",
  "application/problem+json, */*;q=0.5",
  "application/problem+json, application/*;q=0.5, text/html",
  // The most specific of what names JSON counts.
  "application/problem+json;q=0.5, application/json;q=0.1, */*",
  "application/problem+json;q=0.5, application/json;q=0, application/*",
  "application/problem+json;q=0.5, application/*;q=0.4, */*",
  "application/problem+json;q=0.5, text/html",
  "application/problem+json;q=0.1, application/problem+json",
  // A malformed weight names nothing.
  "application/problem+json;q=0.5, application/json;q=1.1",
  'application/problem+json;q=0.5, application/json;q="1"',
  // Commas and semicolons in quoted strings do not divide.
  'application/problem+json;profile="a, application/json"',
  'text/html;a="b\\", c", application/problem+json',
  'application/problem+json;profile="a;q=0"',
  "text/html, , application/problem+json,",
];

const JSON_AS_EVER: readonly (string | undefined)[] = [
  undefined,
  "",
  "*/*",
  "application/*",
  "application/json",
  "text/html",
  "application/problem+xml",
  "application/problem+json;q=0",
  "application/problem+json;q=0.000",
  "application/problem+json;q=0, application/json;q=0",
  "application/json, application/problem+json;q=0.1",
  "application/problem+json;q=0.499, application/json;q=0.5",
  "application/problem+json;q=0.9, application/*",
  "application/problem+json;q=0.9, */*",
  "application/problem+json;q=0.5, application/json;q=1, */*;q=0.1",
  "application/problem+json;q",
  "application/problem+json;q=",
  "application/problem+json;q=2",
  "application/problem+json;q=1.1",
  "application/problem+json;q=-1",
  "application/problem+json;q=.5",
  "application/problem+json;q=0.1234",
  "application/problem+json;q=1e0",
  "application/problem+json;q=high",
  "application/problem+json;q =0.5",
  'application/problem+json;q="0.5"',
  'text/html;a=", application/problem+json"',
  'text/html;a=", application/problem+json',
  'text/html;a="\\", application/problem+json"',
  '"application/problem+json"',
  "x application/problem+json",
  `application/problem+json${", text/html".repeat(100)}`,
];

describe("a denied client and its Accept header", () => {
  it.each(PROBLEM)("gets a problem for %j", async (accept) => {
    expect(await getsProblem(accept)).toBe(true);
  });

  it.each(JSON_AS_EVER)("gets JSON for %j", async (accept) => {
    expect(await getsProblem(accept)).toBe(false);
  });

  it("gets the type of the greater weight", async () => {
    const weight = fc.nat({ max: 1_000 });
    const other = fc.constantFrom(
      "text/html",
      "text/*;q=0.3",
      'a/b;c="d, e;f\\"";q=0.1',
      "",
      "*/*;q=0.7",
      "application/*;q=0.2",
    );
    const isStrange = (text: string) => /[^\t -~]/.test(text);
    const quoted = fc
      .string({ unit: fc.constantFrom(",", ";", "=", "q", " ", "a/b") })
      .filter((text) => !isStrange(text));
    await fc.assert(
      fc.asyncProperty(weight, weight, fc.array(other), quoted, async (problem, json, others, text) => {
        const named = [
          `application/problem+json;a="${text}";q=${problem / 1_000}`,
          `application/json;a="${text}";q=${json / 1_000}`,
        ];
        expect(await getsProblem([...others, ...named].join(", "))).toBe(problem > 0 && problem >= json);
        expect(await getsProblem([...named.toReversed(), ...others].join(","))).toBe(problem > 0 && problem >= json);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it("gets JSON whatever it accepts if the option says so", async () => {
    const json = rateLimit({ limiter, denial: "json" })(() => new Response());
    expect(await getsProblem("application/problem+json", json)).toBe(false);
  });

  it("costs no more with a longer Accept header", async () => {
    const hostile = ['"', '\\"', "\\", ",", ";", 'a="', "q=", "a/b;q=", " "].map((text) =>
      text.repeat(200_000 / text.length),
    );
    const timer = new CpuTimer();
    for (const accept of hostile) {
      expect(await getsProblem(`text/html${accept}`)).toBe(false);
      expect(await getsProblem(`text/html${accept.slice(0, 1_000)}`)).toBe(false);
    }
    expect(timer.elapsedMs).toBeLessThan(2_000);
  });
});
