import { generate } from "./generator.ts";
import { startServer } from "./server-process.ts";
import { BODY } from "./servers/framework.ts";
import { hasLimit, type Variant } from "./variants.ts";

export type Plan = { readonly connections: number; readonly warmUpSeconds: number; readonly seconds: number };

export const FULL: Plan = { connections: 64, warmUpSeconds: 1, seconds: 2 };
export const QUICK: Plan = { connections: 64, warmUpSeconds: 1, seconds: 1 };

/** Requests a day: none is denied. Units come back more slowly than requests take them, so no bucket becomes idle. */
const AMPLE = 100_000_000;

export async function measureVariant(variant: Variant, plan: Plan) {
  const server = await startServer({ id: variant.id, limit: AMPLE });
  const { url } = server;
  const { connections, warmUpSeconds } = plan;
  try {
    await generate({ url, connections, seconds: warmUpSeconds });
    const before = await server.cpuUs();
    const { requests, seconds } = await generate({ url, connections, seconds: plan.seconds });
    const cpuUs = (await server.cpuUs()) - before;
    expectRight(await ask(url), variant);
    return {
      requestsPerSecond: requests / seconds,
      cpuUsPerRequest: cpuUs / requests,
      requestsPerCpuSecond: (requests * 1_000_000) / cpuUs,
      /** The busy part of one processor. Well below 1, the server waited for the generator or for a busy processor. */
      busy: cpuUs / (seconds * 1_000_000),
    };
  } finally {
    await server.stop();
  }
}

/** @throws Error when a limiter that allows one request a day admits the second one, or denies the first. */
export async function checkLimit(variant: Variant): Promise<void> {
  const server = await startServer({ id: variant.id, limit: 1 });
  try {
    expectRight(await ask(server.url), variant);
    const expected = hasLimit(variant) ? 429 : 200;
    const { status } = await ask(server.url);
    if (status !== expected) throw new Error(`the second request: expected ${expected}, got ${status}`);
  } finally {
    await server.stop();
  }
}

/** Headers are in lower case. */
type Answer = { readonly status: number; readonly body: string; readonly headers: readonly string[] };

async function ask(url: string): Promise<Answer> {
  const response = await fetch(url);
  return { status: response.status, body: await response.text(), headers: [...response.headers.keys()] };
}

function expectRight(answer: Answer, variant: Variant): void {
  const fault = faultIn(answer, variant);
  if (fault !== undefined) throw new Error(fault);
}

/** What is wrong with the response to an admitted request. */
export function faultIn({ status, body, headers }: Answer, variant: Pick<Variant, "headers">): string | undefined {
  if (status !== 200) return `expected status 200, got ${status}`;
  if (body !== BODY) return `expected the body ${BODY}, got ${body}`;
  const missing = variant.headers.filter((name) => !headers.includes(name));
  if (missing.length > 0) return `expected the headers ${missing.join(", ")}`;
  const others = headers.filter((name) => /rate-?limit/.test(name) && !variant.headers.includes(name));
  return others.length > 0 ? `expected no headers ${others.join(", ")}` : undefined;
}
