import { spreadOf } from "../../report/spread.ts";
import type { Finished } from "../measure/rounds.ts";
import type { Sample } from "../measure/sample.ts";
import type { Variant } from "../variant.ts";
import { ratioOf } from "./ratios.ts";
import type { Results, Row } from "./results.ts";

/** Brings the rounds of all variants together, in the order of the catalog. */
export function summarize({ samples, failures }: Finished, catalog: readonly Variant[]): Results {
  return { rows: catalog.flatMap((variant) => rowsOf(variant, samples, catalog)), failures };
}

function rowsOf(
  { id, framework, front, options }: Variant,
  samples: readonly Sample[],
  catalog: readonly Variant[],
): Row[] {
  const own = samples.filter(({ variant }) => variant === id);
  if (own.length === 0) return [];
  const bare = catalog.find((one) => one.framework === framework && one.front === "nothing")?.id ?? "";
  return [
    {
      variant: id,
      framework,
      front,
      options,
      requestsPerSecond: spreadOf(own.map(({ requestsPerSecond }) => requestsPerSecond)),
      cpuUsPerRequest: spreadOf(own.map(({ cpuUsPerRequest }) => cpuUsPerRequest)),
      busy: spreadOf(own.map(({ busy }) => busy)),
      ratio: ratioOf(samples, id, bare, "requests"),
      cpuRatio: ratioOf(samples, id, bare, "processor"),
    },
  ];
}
