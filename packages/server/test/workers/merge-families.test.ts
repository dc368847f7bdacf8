import { describe, expect, it } from "vitest";
import { lastingFamilies, mergeFamilies, type WorkerFamily } from "../../src/workers/merge-families.ts";

function family(
  type: WorkerFamily["type"],
  values: WorkerFamily["values"],
  aggregator?: string,
  name = "m",
): WorkerFamily {
  return { name, help: "h", type, values, ...(aggregator !== undefined && { aggregator }) };
}

const sample = (value: number, labels: Readonly<Record<string, string>> = {}, metricName?: string) => ({
  value,
  labels,
  ...(metricName !== undefined && { metricName }),
});

describe("the metrics of several workers", () => {
  it("are added up by name and labels, in whatever order the labels are", () => {
    const one = family("counter", [sample(1, { a: "x", b: "y" }), sample(2, { a: "z" })]);
    const two = family("counter", [sample(4, { b: "y", a: "x" }), sample(8, { a: "w" })]);
    expect(mergeFamilies([[one], [two]])).toEqual([
      family("counter", [sample(5, { a: "x", b: "y" }), sample(2, { a: "z" }), sample(8, { a: "w" })]),
    ]);
  });

  it("keep the samples of a histogram apart", () => {
    const one = family("histogram", [sample(1, { le: "1" }, "m_bucket"), sample(3, {}, "m_sum")]);
    expect(mergeFamilies([[one], [one]])[0]?.values).toEqual([
      sample(2, { le: "1" }, "m_bucket"),
      sample(6, {}, "m_sum"),
    ]);
  });

  it.each([
    ["sum", 9],
    ["first", 1],
    ["min", 1],
    ["max", 6],
    ["average", 3],
    [undefined, 9],
  ])("are one number by the aggregator %s", (aggregator, expected) => {
    const workers = [1, 6, 2].map((value) => [family("gauge", [sample(value)], aggregator)]);
    expect(mergeFamilies(workers)[0]?.values).toEqual([sample(expected)]);
  });

  it("leave out what has no meaning for several processes", () => {
    expect(mergeFamilies([[family("gauge", [sample(1)], "omit")]])).toEqual([]);
  });

  it("go on without a worker that is gone, except its gauges", () => {
    const of = (type: WorkerFamily["type"]) => family(type, [sample(1)], undefined, type);
    const lasting = lastingFamilies([of("counter"), of("gauge"), of("histogram"), of("summary")]);
    expect(lasting.map(({ name }) => name)).toEqual(["counter", "histogram"]);
  });
});
