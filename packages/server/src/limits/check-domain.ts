import type { LimitsFile } from "tollgate/config";
import { type Compiled, LimitsError } from "./limits-files.ts";

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
  const message = `domains: expected the domain ${JSON.stringify(domain)}, which decides /check`;
  return { mistakes: [{ file, line: 1, column: 1, message }] };
}

/** @throws LimitsError if the limits lack the domain that `--check-domain` names. */
export function requireDomain(domains: readonly string[], domain: string, path: string): void {
  if (domains.includes(domain)) return;
  const got = domains.map((name) => JSON.stringify(name)).join(", ");
  const message = `domains: expected ${JSON.stringify(domain)}, which --check-domain names, got ${got}`;
  throw new LimitsError([{ file: path, line: 1, column: 1, message }]);
}
