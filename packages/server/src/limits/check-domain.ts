import type { LimitsFile } from "tollgate/config";
import type { Compiled } from "./limits-files.ts";
import { mistakeIn } from "./mistake.ts";

/**
 * Limits that have the domain which decides `/check`. Without it every check would fail, and proxies would let all
 * requests pass.
 */
export function withDomain(
  compiled: Compiled<LimitsFile>,
  domain: string | undefined,
  file: string,
): Compiled<LimitsFile> {
  const { value } = compiled;
  if (value === undefined || domain === undefined || Object.hasOwn(value.domains, domain)) return compiled;
  const got = Object.keys(value.domains).map((name) => JSON.stringify(name));
  const message = `domains: expected ${JSON.stringify(domain)}, which decides /check, got ${got.join(", ")}`;
  return { mistakes: [mistakeIn(file, message)] };
}
