import { describe, expect, it } from "vitest";
import { parseExposition } from "./strict-exposition.ts";

const GOOD = `# HELP calls_total Calls, "all" of them.\\nReally.
# TYPE calls_total counter
calls_total{limiter="a\\"\\\\\\n"} 3
calls_total{limiter=""} 0
# HELP left Left.
# TYPE left gauge
left NaN
# HELP seconds Seconds.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 1
seconds_bucket{le="+Inf"} 2
seconds_sum 3.5
seconds_count 2
`;
const OPEN = `# HELP calls Calls.
# TYPE calls counter
calls_total 3
# HELP seconds Seconds.
# TYPE seconds histogram
seconds_bucket{le="1e-05"} 1
seconds_bucket{le="1.0"} 1
seconds_bucket{le="+Inf"} 2
seconds_sum 3.5
seconds_count 2
# EOF
`;

describe("the strict parser of expositions", () => {
  it("reads the text format", () => {
    const [calls, left, seconds] = parseExposition(GOOD, "text");
    expect(calls).toMatchObject({ name: "calls_total", type: "counter", help: 'Calls, "all" of them.\nReally.' });
    expect(calls?.samples[0]).toEqual({ name: "calls_total", labels: { limiter: 'a"\\\n' }, value: 3 });
    expect(left?.samples).toEqual([{ name: "left", labels: {}, value: Number.NaN }]);
    expect(seconds?.samples).toHaveLength(4);
  });

  it("reads OpenMetrics", () => {
    expect(parseExposition(OPEN, "openmetrics").map(({ name }) => name)).toEqual(["calls", "seconds"]);
  });

  it.each<[string, string, string]>([
    ["an unfinished line", "left NaN\n", "left NaN"],
    ["an empty line", "left NaN\n", "left NaN\n\n"],
    ["a sample without metadata", "# HELP left Left.\n# TYPE left gauge\nleft NaN\n", "left 1\n"],
    ["an unknown type", "left gauge", "left number"],
    ["a negative counter", "} 3", "} -3"],
    ["a quote that is not escaped", 'limiter=""', 'limiter="""'],
    ["an unknown escape", 'limiter=""', 'limiter="\\t"'],
    ["a series twice", 'limiter=""', 'limiter="a\\"\\\\\\n"'],
    [
      "a family twice",
      "# HELP left Left.\n# TYPE left gauge\nleft NaN",
      "# HELP calls_total x\n# TYPE calls_total counter",
    ],
    ["a foreign sample", "left NaN", "right NaN"],
    ["no number", "left NaN", "left nan"],
    ["a bucket with fewer than the one before", '"0.1"} 1', '"0.1"} 3'],
    ["no +Inf", 'seconds_bucket{le="+Inf"} 2\n', ""],
    [
      "buckets out of order",
      'seconds_bucket{le="0.1"} 1\nseconds_bucket{le="+Inf"} 2',
      'seconds_bucket{le="+Inf"} 2\nseconds_bucket{le="0.1"} 2',
    ],
    ["a count that is not that of +Inf", "seconds_count 2", "seconds_count 3"],
    ["no count", "seconds_count 2\n", ""],
    ["a timestamp", "left NaN", "left NaN 12"],
    ["the end of OpenMetrics", "left NaN\n", "left NaN\n# EOF\n"],
  ])("refuses in the text format %s", (_what, part, instead) => {
    expect(GOOD).toContain(part);
    expect(() =>
      parseExposition(
        GOOD.replace(part, () => instead),
        "text",
      ),
    ).toThrow();
  });

  it.each<[string, string, string]>([
    ["no end", "# EOF\n", ""],
    ["lines after the end", "# EOF\n", "# EOF\n# EOF\n"],
    ["a counter without its suffix", "calls_total 3", "calls 3"],
    [
      "a family with its counter's suffix",
      "calls Calls.\n# TYPE calls counter",
      "calls_total C\n# TYPE calls_total counter",
    ],
    ["a bound that is not canonical", '"1.0"', '"1"'],
    ["a quote in a help", "Calls.", '"Calls"'],
  ])("refuses in OpenMetrics %s", (_what, part, instead) => {
    expect(OPEN).toContain(part);
    expect(() =>
      parseExposition(
        OPEN.replace(part, () => instead),
        "openmetrics",
      ),
    ).toThrow();
  });
});
