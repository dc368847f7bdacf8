import { Counter, Gauge, type Registry } from "prom-client";
import type { LimitsStatus } from "../limits/limits-files.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";

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

/** Measures what operators have made of the limits. */
export function measureOverrides(inForce: LimitsInForce, registry: Registry): void {
  const registers = [registry];
  const put: Gauge = new Gauge({
    name: "tollgate_limits_from_operator",
    help: "1 if an operator has put limits in place of those of the files.",
    registers,
    collect: () => put.set(inForce.source === "operator" ? 1 : 0),
  });
  const overrides: Gauge<"domain" | "rule" | "mode"> = new Gauge({
    name: "tollgate_rule_override",
    help: "1 for each rule that an operator has turned off, into shadow mode or on, until it ends by itself.",
    labelNames: ["domain", "rule", "mode"],
    registers,
    collect: () => {
      overrides.reset();
      for (const { domain, rule, mode } of inForce.overrides) overrides.set({ domain, rule, mode }, 1);
    },
  });
}
