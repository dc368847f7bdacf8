import { reasonOf } from "../../orchestrate/reason.ts";
import type { Generator } from "../generator/generator.ts";
import { nameOf, type Variant } from "../variant.ts";
import { checkLimit } from "./check-limit.ts";
import { measureVariant } from "./measure-variant.ts";
import { orderOfRound } from "./order.ts";
import type { Plan } from "./plan.ts";
import type { Sample } from "./sample.ts";

/** A variant that could not be measured, or that answered wrongly. */
export interface Failure {
  readonly variant: string;
  readonly reason: string;
}

export interface Finished {
  readonly samples: readonly Sample[];
  readonly failures: readonly Failure[];
}

/** Measures every variant once in each round. One that failed is not tried again. */
export async function runRounds(
  variants: readonly Variant[],
  rounds: number,
  plan: Plan,
  generator: Generator,
): Promise<Finished> {
  const samples: Sample[] = [];
  const failed = new Map<Variant, Failure>();
  const attempt = async (variant: Variant, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failed.set(variant, { variant: variant.id, reason: reasonOf(error) });
      console.log(`${nameOf(variant)} failed: ${reasonOf(error)}`);
    }
  };
  for (const variant of variants) await attempt(variant, () => checkLimit(variant));
  for (let round = 1; round <= rounds; round += 1) {
    const left = variants.filter((variant) => !failed.has(variant));
    for (const variant of orderOfRound(left, round)) {
      await attempt(variant, async () => {
        const sample = { ...(await measureVariant(variant, plan, generator)), round };
        samples.push(sample);
        console.log(`round ${round}/${rounds}  ${nameOf(variant).padEnd(32)}  ${describe(sample)}`);
      });
    }
  }
  return { samples, failures: [...failed.values()] };
}

function describe({ requestsPerSecond, cpuUsPerRequest, busy }: Sample): string {
  const share = `${(busy * 100).toFixed(0)} % of a processor`;
  return `${requestsPerSecond.toFixed(0)} requests/s, ${cpuUsPerRequest.toFixed(1)} us of processor each, ${share}`;
}
