import { limits, nameOf, type Variant } from "../variant.ts";
import { ask, faultIn } from "./answer.ts";
import { ServerProcess } from "./server-process.ts";

/**
 * Whoever limits is to be seen limiting: with one request a day the second one is denied.
 *
 * @throws Error when it is not.
 */
export async function checkLimit(variant: Variant): Promise<void> {
  const server = await ServerProcess.start(variant, 1);
  try {
    const wrong = faultIn(await ask(server.url), variant);
    if (wrong !== undefined) throw new Error(`${nameOf(variant)}, the first request: ${wrong}`);
    const expected = limits(variant) ? 429 : 200;
    const { status } = await ask(server.url);
    if (status !== expected) throw new Error(`${nameOf(variant)}, one too many: expected ${expected}, got ${status}`);
  } finally {
    await server.stop();
  }
}
