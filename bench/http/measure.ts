import type { Contender } from "../harness/side-by-side.ts";
import { generate } from "../harness/wrk.ts";
import { startVariant } from "./server.ts";
import { BODY, HOST } from "./servers/framework.ts";
import { hasLimit, headersOf, type Variant } from "./variants.ts";

/** Requests a day: none is denied. Units come back more slowly than requests take them, so no bucket becomes idle. */
const AMPLE = 100_000_000;

export function contenderOf(variant: Variant): Contender {
  const urlOf = (port: number) => `http://${HOST}:${port}/`;
  return {
    start: async () => {
      await checkLimit(variant, urlOf);
      return startVariant({ ...variant, limit: AMPLE });
    },
    load: (port, seconds) => generate({ url: urlOf(port) }, seconds),
    check: (port) => expectAdmitted(urlOf(port), variant),
  };
}

/** @throws Error when a limit of one request admits two. */
async function checkLimit(variant: Variant, urlOf: (port: number) => string): Promise<void> {
  const server = await startVariant({ ...variant, limit: 1 });
  try {
    const url = urlOf(server.port);
    await expectAdmitted(url, variant);
    const expected = hasLimit(variant) ? 429 : 200;
    const { status } = await fetch(url);
    if (status !== expected) throw new Error(`the second request: expected ${expected}, got ${status}`);
  } finally {
    await server.stop();
  }
}

/** The next request is answered with the body, and with the variant's rate limit headers alone. */
async function expectAdmitted(url: string, variant: Variant): Promise<void> {
  const response = await fetch(url);
  const limits = [...response.headers.keys()].filter((name) => /rate-?limit/.test(name));
  const got = [String(response.status), await response.text(), ...limits.toSorted()].join(" ");
  const expected = ["200", BODY, ...headersOf(variant).toSorted()].join(" ");
  if (got !== expected) throw new Error(`a response: expected ${expected}, got ${got}`);
}
