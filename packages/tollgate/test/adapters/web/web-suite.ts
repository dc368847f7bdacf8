import { setTimeout as wait } from "node:timers/promises";
import type { RateLimited } from "tollgate/fetch";
import { answerOf } from "../suite/answer-of.ts";
import type { AdapterHarness, SuiteOptions } from "../suite/harness.ts";

/** The cases that need the response of Node's server, which only some servers hand over. */
export const SKIPS_WITHOUT_RESPONSE: AdapterHarness["skips"] = {
  "settles each of many pipelined requests without a warning when the client breaks off":
    "@hono/node-server aborts only the first of pipelined requests.",
  "frees the places of pipelined requests whose client breaks off":
    "@hono/node-server aborts only the first of pipelined requests. The others free themselves when it drops them.",
  "frees the turns of pipelined requests whose client goes, without a warning":
    "@hono/node-server aborts only the first of pipelined requests. The others wait on, and nothing answers them.",
  "tells chargeAfter that a response was not sent whole if the client left early":
    "The adapter only sees how the body is read, and this body is read in one piece.",
  "calls no handler for a client that leaves while the store decides, but settles":
    "The handler learns that the client has left from the request's signal.",
  "leaves a response alone that other code has begun while the limiter waited":
    "The adapter does not see the server's response.",
};

/** The suite's routes as responses. */
export async function responseOf(
  path: string,
  decision: RateLimited | undefined,
  options: SuiteOptions,
): Promise<Response> {
  const { status, body } = await answerOf(path, decision, options);
  if (typeof body !== "string") return new Response(chunks(body.chunks), { status });
  return new Response(status === 204 ? null : body, { status });
}

/** A body of so many chunks of 1,000 bytes, with a pause after each. */
function chunks(count: number): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode("y".repeat(1_000));
  let left = count;
  return new ReadableStream({
    pull: async (controller) => {
      if (left === 0) controller.close();
      else {
        left -= 1;
        controller.enqueue(chunk);
        await wait(2);
      }
    },
  });
}
