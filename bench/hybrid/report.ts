import type { Measured } from "./measure.ts";

const BARS = " ▁▂▃▄▅▆▇█";
/** The picture shows so many tenths of a second. */
const WIDTH = 60;

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

/** Units that each node admitted over time. */
export function picturesOf(all: readonly Measured[]): string {
  return all
    .map(({ load, strategy, pictures }) => {
      const most = Math.max(1, ...pictures.flat());
      const bars = pictures.map((picture, node) => {
        const shown = picture.slice(0, WIDTH).map((units) => BARS[Math.ceil((units / most) * (BARS.length - 1))]);
        return `node ${node + 1} ${shown.join("")}`;
      });
      return `${load.title}, ${strategy}; a full bar is ${most} in a tenth of a second\n${bars.join("\n")}`;
    })
    .join("\n\n");
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
