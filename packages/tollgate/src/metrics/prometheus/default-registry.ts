import type { MetricsRegistry } from "./registry-output.ts";

/** What is used of Node's `process`, which Bun and Deno have, too. */
interface NodeProcess {
  readonly argv: readonly string[];
  cwd(): string;
  getBuiltinModule?(name: "node:module"): { createRequire(from: string): (name: string) => { register: unknown } };
}

/**
 * The default registry of prom-client; `undefined` where it cannot be found. A static import would load prom-client for
 * all users of `tollgate/metrics`, and a dynamic one would end after a first scrape. So prom-client is required from
 * where the program's main file would import it. That is the copy that the program scrapes, unless it is bundled.
 */
export function defaultRegistry(): MetricsRegistry | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  try {
    const from = process?.argv[1] ?? `${process?.cwd()}/index.js`;
    const required = process?.getBuiltinModule?.("node:module").createRequire(from)("prom-client");
    return required?.register as MetricsRegistry | undefined;
  } catch {
    return undefined;
  }
}
