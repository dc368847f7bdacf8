import { type Context, Hono } from "hono";
import { stream } from "hono/streaming";
import { type Cost, createLimiter, perMinute } from "tollgate";
import { rateLimit } from "tollgate/hono";
import { answerTokens, type ChatRequest, promptTokens, UsageMeter } from "./usage.js";

const limiter = createLimiter({
  name: "llm",
  limits: [perMinute(20), perMinute(2_000, { unit: "tokens" })],
});

const clientOf = (context: Context): string => context.req.header("authorization") ?? "";

const limit = rateLimit({
  limiter,
  input: clientOf,
  cost: async (context) => {
    const request = await context.req.json<ChatRequest>();
    return { requests: 1, tokens: promptTokens(request) + answerTokens(request) };
  },
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
    const settle = (cost: Cost): void => context.get("rateLimit")?.settle(cost);
    const hangUp = new AbortController();
    const upstream = await fetch(upstreamUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        ...request,
        max_tokens: answerTokens(request),
        stream: true,
        stream_options: { include_usage: true },
      }),
      signal: hangUp.signal,
    });
    const { body } = upstream;
    if (!upstream.ok || body === null) {
      settle({ tokens: 0 });
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
          await answer.write(bytes);
        }
      } catch (error) {
        if (!answer.aborted) throw error;
      } finally {
        settle({ tokens: meter.tokens });
      }
    });
  });
  return app;
}
