import type { Generator } from "../generator/generator.ts";
import type { Variant } from "../variant.ts";
import { checkAnswer } from "./answer.ts";
import type { Plan } from "./plan.ts";
import type { Sample } from "./sample.ts";
import { ServerProcess } from "./server-process.ts";

/**
 * Requests a day. No request is denied, and units come back more slowly than they are used: a bucket that is full again is
 * forgotten, and a limiter that has to make it anew all the time is not what is to be measured.
 */
const AMPLE = 100_000_000;

/** @throws Error when the server failed, or an answer was not what it should be. */
export async function measureVariant(
  variant: Variant,
  plan: Plan,
  generator: Generator,
): Promise<Omit<Sample, "round">> {
  const server = await ServerProcess.start(variant, AMPLE);
  const { url } = server;
  const { connections, warmUpSeconds } = plan;
  try {
    await generator.generate({ url, connections, seconds: warmUpSeconds });
    const before = await server.cpuUs();
    const { requests, seconds } = await generator.generate({ url, connections, seconds: plan.seconds });
    const cpuUs = (await server.cpuUs()) - before;
    await checkAnswer(url, variant);
    return {
      variant: variant.id,
      requestsPerSecond: requests / seconds,
      cpuUsPerRequest: cpuUs / requests,
      busy: cpuUs / (seconds * 1_000_000),
    };
  } finally {
    await server.stop();
  }
}
