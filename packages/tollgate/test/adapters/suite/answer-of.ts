import type { RateLimited } from "tollgate/node";
import { loginOf, type SuiteOptions } from "./harness.ts";

/** What a route answers: a text, or so many chunks of 1,000 bytes, some milliseconds apart. */
export interface RouteAnswer {
  readonly status: number;
  readonly body: string | { readonly chunks: number };
}

/** What the suite's routes answer, in any framework. `/hang` never does. */
export async function answerOf(
  path: string,
  decision: RateLimited | undefined,
  options: SuiteOptions,
): Promise<RouteAnswer> {
  const [, route, argument] = path.split("/");
  switch (route) {
    case "ok":
      return { status: 200, body: "hello" };
    case "status":
      return { status: Number(argument), body: "status" };
    case "bytes":
      return { status: 200, body: "x".repeat(Number(argument)) };
    case "stream":
      return { status: 200, body: { chunks: Number(argument) } };
    case "decision":
      return { status: 200, body: shownDecision(decision) };
    case "login":
      return { status: await loginOf(options, decision), body: "" };
    case "throw":
      throw new Error("the handler failed");
    case "hang":
      return new Promise(() => {});
    default:
      throw new Error(`no such route: ${path}`);
  }
}

function shownDecision(decision: RateLimited | undefined): string {
  if (decision === undefined) return "null";
  const { allowed, remaining, limit } = decision;
  return JSON.stringify({ allowed, remaining, limit: limit?.name });
}
