import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Plugin, rolldown } from "rolldown";
import { page } from "../build/page.ts";

/** A program of a user, and how large its minified and gzipped bundle may be. */
export interface BundledProgram {
  readonly name: string;
  readonly program: string;
  /** In kB, which are 1,000 bytes. */
  readonly budget: number;
  readonly goal: number;
}

const LIMITER = `import { createLimiter, perMinute } from "tollgate";
export const limiter = createLimiter({ name: "client", limits: [perMinute(10)] });`;

const over = (
  name: string,
  entry: string,
  store: string,
): string => `import { createLimiter, perMinute } from "tollgate";
import { ${name} } from "tollgate/${entry}";
export const limiter = createLimiter({ name: "client", limits: [perMinute(10)], store: ${store} });`;

export const PROGRAMS: readonly BundledProgram[] = [
  { name: "createLimiter with one limit", program: LIMITER, budget: 42.9, goal: 27 },
  {
    name: "with the fetch adapter",
    program: `${LIMITER}
import { rateLimit } from "tollgate/fetch";
export default rateLimit({ limiter, input: (request) => request.url });`,
    budget: 52.6,
    goal: 36,
  },
  {
    name: "with redisStore",
    program: over("redisStore", "redis", "redisStore({ client: globalThis.client })"),
    budget: 86.5,
    goal: 50,
  },
  {
    name: "with hybridStore",
    program: over("hybridStore", "hybrid", "hybridStore({ client: globalThis.client })"),
    budget: 91.2,
    goal: 58,
  },
];

/** The size of the dashboard's page, with Preact and uPlot, in kB. */
export async function pageSize(root: string): Promise<number> {
  const { script, style } = await page(join(root, "packages/tollgate/src"));
  return (gzipSync(script).byteLength + gzipSync(style).byteLength) / 1_000;
}

/** The size of the program with the built library, in kB. */
export async function bundledSize(root: string, { program }: BundledProgram): Promise<number> {
  // In the root, so that it finds the package as a user's program does.
  const entry = join(root, "program.js");
  const source: Plugin = {
    name: "program",
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? program : null),
  };
  const bundled = await rolldown({ input: entry, platform: "browser", plugins: [source], external: /^node:/ });
  const { output } = await bundled.generate({ format: "es", minify: true, codeSplitting: false });
  await bundled.close();
  const code = output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("");
  return gzipSync(code).byteLength / 1_000;
}
