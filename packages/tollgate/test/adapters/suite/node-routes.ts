import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Decision } from "tollgate";
import type { RateLimited } from "tollgate/node";
import { loginOf, type SuiteOptions } from "./harness.ts";

/** The routes of the suite over a Node response. What `/throw` throws is for the framework to answer. */
export async function answerRoute(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  decision: RateLimited | undefined,
  options: SuiteOptions,
): Promise<void> {
  const [, route, argument] = path.split("/");
  switch (route) {
    case "ok":
      response.end("hello");
      return;
    case "status":
      response.statusCode = Number(argument);
      response.end("status");
      return;
    case "bytes":
      response.end("x".repeat(Number(argument)));
      return;
    case "stream":
      for (let i = 0; i < Number(argument) && !response.destroyed; i += 1) {
        response.write("y".repeat(1_000));
        await wait(2);
      }
      response.end();
      return;
    case "decision":
      response.end(JSON.stringify(shownDecision(decision)));
      return;
    case "login":
      response.statusCode = await loginOf(options, decision);
      response.end();
      return;
    case "throw":
      throw new Error("the handler failed");
    case "hang":
      return;
    default:
      throw new Error(`no such route: ${request.method} ${path}`);
  }
}

/** The pieces of `/stream/N`. */
export async function* chunks(count: number): AsyncGenerator<string> {
  for (let i = 0; i < count; i += 1) {
    yield "y".repeat(1_000);
    await wait(2);
  }
}

/** What `/decision` shows. */
export function shownDecision(decision: Decision | undefined): unknown {
  return decision === undefined
    ? null
    : { allowed: decision.allowed, remaining: decision.remaining, limit: decision.limit?.name };
}
