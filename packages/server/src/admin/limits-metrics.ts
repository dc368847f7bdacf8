import { Counter, Gauge, type Registry } from "prom-client";
import type { LimitsStatus } from "../limits/limits-files.ts";

/** Measures how often limits files were read, and whether the last ones were refused. */
export function measureLimitsFiles(status: () => LimitsStatus, registry: Registry): void {
  const registers = [registry];
  const reads: Counter<"result"> = new Counter({
    name: "tollgate_limits_reads_total",
    help: "Limits files that were read, by the result: loaded or refused.",
    labelNames: ["result"],
    registers,
    collect: () => {
      const { loads, refusals } = status();
      reads.reset();
      reads.inc({ result: "loaded" }, loads);
      reads.inc({ result: "refused" }, refusals);
    },
  });
  const kept: Gauge = new Gauge({
    name: "tollgate_limits_kept",
    help: "1 if the limits files have mistakes, so that the limits before them are in force.",
    registers,
    aggregator: "max",
    collect: () => kept.set(status().state === "kept" ? 1 : 0),
  });
}
