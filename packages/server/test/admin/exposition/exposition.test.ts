import { describe, expect, it } from "vitest";
import { type Family, OPEN_METRICS, TEXT } from "../../../src/admin/exposition/exposition.ts";
import { type Dialect, parseExposition } from "../../support/strict-exposition.ts";

const BUCKETS = [0.000_000_05, 0.000_01, 0.0001, 0.25, 1, 250, 1_000_000];

const FAMILIES: readonly Family[] = [
  {
    name: "calls_total",
    help: 'A "help" with\na line end and a \\.',
    type: "counter",
    values: [{ value: 3, labels: { limiter: 'a"b\\c\nd', code: 200 } }],
  },
  {
    name: "level",
    help: "Levels.",
    type: "gauge",
    values: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -1.5, 1e21].map((value, index) => ({
      value,
      labels: { index },
    })),
  },
  { name: "nothing", help: "Nothing yet.", type: "gauge", values: [] },
  {
    name: "seconds",
    help: "Seconds.",
    type: "histogram",
    values: [
      ...BUCKETS.map((le) => ({ value: 1, labels: { le }, metricName: "seconds_bucket" })),
      { value: 2, labels: { le: "+Inf" }, metricName: "seconds_bucket" },
      { value: 1.5, labels: {}, metricName: "seconds_sum" },
      { value: 2, labels: {}, metricName: "seconds_count" },
    ],
  },
];

describe.each<[Dialect, typeof TEXT]>([
  ["text", TEXT],
  ["openmetrics", OPEN_METRICS],
])("the format %s", (dialect, format) => {
  it("is what a strict parser accepts, with nothing lost", () => {
    const parsed = parseExposition(format.write(FAMILIES), dialect);
    const counter = dialect === "text" ? "calls_total" : "calls";
    expect(parsed.map(({ name }) => name)).toEqual([counter, "level", "nothing", "seconds"]);
    expect(parsed.map(({ help }) => help)).toEqual(FAMILIES.map(({ help }) => help));
    expect(parsed[0]?.samples).toEqual([
      { name: "calls_total", labels: { limiter: 'a"b\\c\nd', code: "200" }, value: 3 },
    ]);
    expect(parsed[1]?.samples.map(({ value }) => value)).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
      -1.5,
      1e21,
    ]);
    expect(parsed[2]?.samples).toEqual([]);
    expect(parsed[3]?.samples.flatMap(({ labels: { le } }) => (le === undefined ? [] : [Number(le)]))).toEqual([
      ...BUCKETS,
      Number.NaN,
    ]);
  });

  it("may be written twice from the same metrics, and after the other", () => {
    const first = format.write(FAMILIES);
    OPEN_METRICS.write(FAMILIES);
    TEXT.write(FAMILIES);
    expect(format.write(FAMILIES)).toBe(first);
  });
});

describe("the bounds of buckets", () => {
  it("are canonical in OpenMetrics, and as they were given in text", () => {
    const boundsOf = (text: string) => [...text.matchAll(/le="(.+?)"/g)].map(([, le]) => le);
    const canonical = ["5e-08", "1e-05", "0.0001", "0.25", "1.0", "250.0", "1e+06", "+Inf"];
    expect(boundsOf(OPEN_METRICS.write(FAMILIES))).toEqual(canonical);
    expect(boundsOf(TEXT.write(FAMILIES))).toEqual([...BUCKETS.map(String), "+Inf"]);
  });
});
