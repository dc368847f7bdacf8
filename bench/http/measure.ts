import type { Figures } from "../harness/figures.ts";
import { measureLoad, withServer } from "../harness/server-process.ts";
import { generate, type Load } from "../harness/wrk.ts";
import { startVariant } from "./server.ts";
import { BODY, HOST } from "./servers/framework.ts";
import { hasLimit, headersOf, type Variant } from "./variants.ts";

/** Requests a day: none is denied. Units come back more slowly than requests take them, so no bucket becomes idle. */
const AMPLE = 100_000_000;

/** @throws Error when a response is wrong, or when a limit of one request admits two. */
export async function measureVariant(variant: Variant, load: Load): Promise<Figures> {
  await checkLimit(variant);
  return withServer(startVariant({ ...variant, limit: AMPLE }), async (server) => {
    const url = `http://${HOST}:${server.port}/`;
    const figures = await measureLoad(server, load, (seconds) => generate({ url }, load.connections, seconds));
    await expectAdmitted(url, variant);
    return figures;
  });
}

async function checkLimit(variant: Variant): Promise<void> {
  await withServer(startVariant({ ...variant, limit: 1 }), async ({ port }) => {
    const url = `http://${HOST}:${port}/`;
    await expectAdmitted(url, variant);
    const expected = hasLimit(variant) ? 429 : 200;
    const { status } = await fetch(url);
    if (status !== expected) throw new Error(`the second request: expected ${expected}, got ${status}`);
  });
}

/** The next request is answered with the body, and with the variant's rate limit headers alone. */
async function expectAdmitted(url: string, variant: Variant): Promise<void> {
  const response = await fetch(url);
  const limits = [...response.headers.keys()].filter((name) => /rate-?limit/.test(name));
  const got = [String(response.status), await response.text(), ...limits.toSorted()].join(" ");
  const expected = ["200", BODY, ...headersOf(variant).toSorted()].join(" ");
  if (got !== expected) throw new Error(`a response: expected ${expected}, got ${got}`);
}
