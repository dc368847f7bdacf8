import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { RateLimited } from "tollgate/node";
import { answerOf } from "./answer-of.ts";
import type { SuiteOptions } from "./harness.ts";

/** The routes of the suite over a Node response. What `/throw` throws is for the framework to answer. */
export async function answerRoute(
  path: string,
  response: ServerResponse,
  decision: RateLimited | undefined,
  options: SuiteOptions,
): Promise<void> {
  const { status, body } = await answerOf(path, decision, options);
  response.statusCode = status;
  if (typeof body === "string") {
    response.end(body);
    return;
  }
  for (let i = 0; i < body.chunks && !response.destroyed; i += 1) {
    response.write("y".repeat(1_000));
    await wait(2);
  }
  response.end();
}

/** The pieces of `/stream/N`. */
export async function* chunks(count: number): AsyncGenerator<string> {
  for (let i = 0; i < count; i += 1) {
    yield "y".repeat(1_000);
    await wait(2);
  }
}
