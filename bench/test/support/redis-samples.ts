import type { Sample } from "../../redis/measure/sample.ts";

/** With 512 calls in flight, unless it says otherwise. */
export function sample(variant: string, round: number, decisionsPerSecond: number, rest: Partial<Sample> = {}): Sample {
  return {
    variant,
    round,
    inFlight: 512,
    decisionsPerSecond,
    p50Ms: 1,
    p99Ms: 2,
    clientUs: 3,
    commandUs: 0.5,
    serverUs: 1,
    commandsPerDecision: 1,
    ...rest,
  };
}
