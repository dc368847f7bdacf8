import { type Spread, spreadOf } from "../../report/spread.ts";
import type { Finished } from "../measure/rounds.ts";
import type { Measured, Sample, Weight } from "../measure/sample.ts";
import type { Variant } from "../variant.ts";
import { ratioOf } from "./ratios.ts";
import type { ContenderRow, Results, Row } from "./results.ts";

/** Who the others are compared with, where it has the same workload. */
const INCR = "INCR";
const FLEXIBLE = "rate-limiter-flexible";

/** Brings the rounds of all variants together, in the order of the catalog. */
export function summarize({ samples, weights, failures }: Finished, catalog: readonly Variant[]): Results {
  const depths = [...new Set(samples.map(({ inFlight }) => inFlight))].sort((a, b) => a - b);
  return {
    contenders: contendersOf(catalog, weights),
    rows: depths.flatMap((inFlight) => catalog.flatMap((variant) => rowsOf(variant, inFlight, samples, catalog))),
    failures,
  };
}

/** Those that are set up alike in a row. */
function contendersOf(catalog: readonly Variant[], weights: readonly Weight[]): ContenderRow[] {
  const rows = new Map<string, ContenderRow>();
  for (const { id, who, options, workload } of catalog) {
    const weight = weights.find(({ variant }) => variant === id);
    if (weight === undefined) continue;
    const before = rows.get(who + options);
    const workloads = [...(before?.workloads ?? []), workload];
    rows.set(who + options, { who, options, workloads, bytes: Math.max(before?.bytes ?? 0, weight.bytes) });
  }
  return [...rows.values()];
}

function rowsOf(variant: Variant, inFlight: number, samples: readonly Sample[], catalog: readonly Variant[]): Row[] {
  const own = samples.filter((sample) => sample.variant === variant.id && sample.inFlight === inFlight);
  if (own.length === 0) return [];
  const { id, who, workload } = variant;
  const spread = (figure: Exclude<keyof Measured, "inFlight">): Spread => spreadOf(own.map((sample) => sample[figure]));
  const over = (other: string): Spread | undefined => {
    const theirs = catalog.find((one) => one.who === other && one.workload === workload)?.id;
    if (theirs === undefined || theirs === id) return undefined;
    return ratioOf(samples, { ours: id, theirs, inFlight, measure: "decisions" });
  };
  return [
    {
      variant: id,
      who,
      workload,
      inFlight,
      decisionsPerSecond: spread("decisionsPerSecond"),
      overIncr: over(INCR),
      overFlexible: over(FLEXIBLE),
      p50Ms: spread("p50Ms"),
      p99Ms: spread("p99Ms"),
      clientUs: spread("clientUs"),
      commandUs: spread("commandUs"),
      serverUs: spread("serverUs"),
      commandsPerDecision: spread("commandsPerDecision"),
    },
  ];
}
