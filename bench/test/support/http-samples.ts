import type { Sample } from "../../http/measure/sample.ts";

export function sample(variant: string, round: number, requestsPerSecond: number, rest: Partial<Sample> = {}): Sample {
  return { variant, round, requestsPerSecond, cpuUsPerRequest: 1_000_000 / requestsPerSecond, busy: 1, ...rest };
}
