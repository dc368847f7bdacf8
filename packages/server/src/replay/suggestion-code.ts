import type { Suggestion } from "./suggest.ts";

/** The suggestion as code, in shadow mode: it counts, and denies nothing yet. */
export function asCode({ capacity, refill, per }: Suggestion): string {
  return `tokenBucket({ capacity: ${capacity}, refill: ${refill}, per: "${per}", mode: "shadow" })`;
}

/** The same as a rule of a limits file. */
export function asYaml({ capacity, refill, per }: Suggestion): string {
  return `{ by: ip, rate: ${refill}/${per}, burst: ${capacity}, mode: shadow }`;
}
