import { Registry } from "prom-client";
import { type AsyncLimiter, createLimiter, type Limiter, type LocalStore, perHour } from "tollgate";
import { hotKeys, instrument } from "tollgate/metrics";
import { clientName } from "../log/client-name.ts";
import { type Family, familiesOf } from "./families.ts";

/** How many clients `rate_limit_tokens` has for each limiter: those that are denied most. */
const MOST_DENIED = 5;

/** @returns a function that ends the measuring. */
export function measureLimiter(limiter: Limiter<never> | AsyncLimiter<never>, registry: Registry): () => void {
  const hot = hotKeys(limiter, { top: MOST_DENIED });
  const remove = instrument(limiter, { registry, tokensOf: hot });
  return () => {
    remove();
    hot.close();
  };
}

/** The metrics of a store alone, in which other processes count. */
export function storeMetrics(store: LocalStore): () => Promise<readonly Family[]> {
  const registry = new Registry();
  instrument(createLimiter({ name: "store", limits: [perHour(1)], store }), { registry });
  return async () => {
    const families = await familiesOf(registry);
    return families.filter(({ values }) => values.some(({ labels }) => labels["store"] !== undefined));
  };
}

/** The metrics, with clients named as in the log: keys may be secrets. */
export function withoutSecrets(families: readonly Family[]): readonly Family[] {
  return families.map((family) => (family.name.startsWith("rate_limit_") ? withClientNames(family) : family));
}

function withClientNames(family: Family): Family {
  const values = family.values.map((sample) => {
    const { key } = sample.labels;
    return key === undefined ? sample : { ...sample, labels: { ...sample.labels, key: clientName(String(key)) } };
  });
  return { ...family, values };
}
