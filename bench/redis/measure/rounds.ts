import { reasonOf } from "../../orchestrate/reason.ts";
import { nameOf, type Variant } from "../variant.ts";
import { checkInChild, measureInChild } from "./child.ts";
import { orderOfRound } from "./order.ts";
import type { Plan } from "./plan.ts";
import type { Measured, Sample, Weight } from "./sample.ts";

/** A variant that could not be measured, or that decided wrongly. */
export interface Failure {
  readonly variant: string;
  readonly reason: string;
}

export interface Finished {
  readonly samples: readonly Sample[];
  readonly weights: readonly Weight[];
  readonly failures: readonly Failure[];
}

/** Checks every variant, and measures it once in each round. One that failed is not tried again. */
export async function runRounds(
  variants: readonly Variant[],
  rounds: number,
  plan: Plan,
  port: number,
): Promise<Finished> {
  const samples: Sample[] = [];
  const weights: Weight[] = [];
  const failed = new Map<Variant, Failure>();
  const attempt = async (variant: Variant, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failed.set(variant, { variant: nameOf(variant), reason: reasonOf(error) });
      console.log(`${nameOf(variant)} failed: ${reasonOf(error)}`);
    }
  };
  for (const variant of variants) {
    await attempt(variant, async () => {
      weights.push({ variant: variant.id, bytes: await checkInChild(variant, port) });
    });
  }
  for (let round = 1; round <= rounds; round += 1) {
    const left = variants.filter((variant) => !failed.has(variant));
    for (const variant of orderOfRound(left, round)) {
      await attempt(variant, async () => {
        const measured = await measureInChild(variant, port, plan);
        samples.push(...measured.map((one): Sample => ({ ...one, variant: variant.id, round })));
        console.log(`round ${round}/${rounds}  ${nameOf(variant).padEnd(52)}  ${measured.map(describe).join("; ")}`);
      });
    }
  }
  return { samples, weights, failures: [...failed.values()] };
}

function describe({ inFlight, decisionsPerSecond, p99Ms }: Measured): string {
  return `${inFlight}: ${decisionsPerSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(3)} ms`;
}
