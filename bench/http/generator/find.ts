import { findAutocannon } from "./autocannon.ts";
import type { Generator } from "./generator.ts";
import { findWrk } from "./wrk.ts";

/** The cheapest generator that is installed. */
export async function findGenerator(): Promise<Generator> {
  return (await findWrk()) ?? (await findAutocannon());
}
