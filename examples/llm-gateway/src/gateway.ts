import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import { rateLimit } from "tollgate/hono";
import { limiter } from "./limits.js";
import { answerTokens, type ChatRequest, estimatedTokens, promptTokens } from "./tokens.js";
import { UsageMeter } from "./usage-meter.js";

/** So many tokens are charged at a time when an answer gets longer than the estimate. */
const CHARGED_AHEAD = 50;

const clientOf = (context: Context): string => context.req.header("authorization") ?? "";

const limit = rateLimit({
  limiter,
  input: clientOf,
  // Every stream takes one place, too, until its response has ended.
  cost: async (context) => ({ requests: 1, tokens: estimatedTokens(await context.req.json<ChatRequest>()) }),
  // The handler tells the true cost, also of a client that hangs up.
  settle: true,
});

export function createGateway(upstreamUrl: string): Hono {
  const app = new Hono();
  app.use("/v1/*", async (context, next) => {
    return /^Bearer \S+$/.test(clientOf(context)) ? next() : context.json({ error: "API key missing" }, 401);
  });

  app.get("/v1/limits", (context) => context.json(limiter.explain(clientOf(context))));

  app.post("/v1/chat/completions", limit, async (context) => {
    const request = await context.req.json<ChatRequest>();
    let charged = estimatedTokens(request);
    const settle = (tokens: number): void => {
      charged = tokens;
      context.get("rateLimit")?.settle({ tokens });
    };
    const hangUp = new AbortController();
    const { body, ok } = await ask(upstreamUrl, request, hangUp.signal);
    if (!ok || body === null) {
      settle(0);
      return context.json({ error: "the model is unavailable" }, 502);
    }
    context.header("Content-Type", "text/event-stream");
    return stream(context, async (answer) => {
      // Else the upstream would go on for a client that has gone.
      answer.onAbort(() => hangUp.abort());
      const meter = new UsageMeter(promptTokens(request));
      try {
        for await (const bytes of body) {
          meter.add(bytes);
          if (meter.tokens > charged) settle(meter.tokens + CHARGED_AHEAD);
          await answer.write(bytes);
        }
      } catch (error) {
        if (!answer.aborted) throw error;
      } finally {
        // The upstream's own count, or what was streamed until the client hung up.
        settle(meter.tokens);
      }
    });
  });
  return app;
}

function ask(upstreamUrl: string, request: ChatRequest, signal: AbortSignal): Promise<Response> {
  const options = { max_tokens: answerTokens(request), stream: true, stream_options: { include_usage: true } };
  return fetch(upstreamUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...request, ...options }),
    signal,
  });
}
