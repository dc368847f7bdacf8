import type { Measured } from "./measure.ts";

/** The rows of the table: each strategy under each load. */
export function tableOf(all: readonly Measured[]): string {
  const head = [
    "load",
    "strategy",
    "calls per 1,000",
    "fewer than strict",
    "excess",
    "admitted, of strict",
    "without I/O",
    "fairness",
    "p50 µs",
    "p99 µs",
  ];
  const rows = all.map((one) => {
    const strict = all.find(({ load, strategy }) => load === one.load && strategy === "strict");
    const perThousand = (measured: Measured) => (measured.calls / measured.asked) * 1_000;
    return [
      one.load.title,
      one.strategy,
      perThousand(one).toFixed(1),
      strict === undefined || strict === one ? "" : percent(1 - perThousand(one) / 1_000),
      String(one.excess),
      strict === undefined ? "" : percent(one.admitted / strict.admitted),
      percent(one.localPart),
      one.load.perSecond.every((rate) => rate === one.load.perSecond[0]) ? one.fairness.toFixed(2) : "",
      one.p50Us.toFixed(0),
      one.p99Us.toFixed(0),
    ];
  });
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((text, i) => text.padEnd(widths[i]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
