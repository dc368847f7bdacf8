import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import { factsOf, rateLimit } from "tollgate/fastify";
import type { Account, Accounts } from "./accounts.js";
import type { Limits } from "./limits.js";

declare module "fastify" {
  interface FastifyRequest {
    account: Account | undefined;
  }
}

/** An error with the status that Fastify answers. */
class HttpError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

export async function createApp(accounts: Accounts, limits: Limits): Promise<FastifyInstance> {
  const app = fastify();
  app.addHook("onClose", () => limits.close());
  app.get("/health", async () => "well");

  await app.register(async (api) => {
    api.decorateRequest("account", undefined);
    // Before the limits of the plan: they count accounts that exist.
    api.addHook("onRequest", async (request, reply) => {
      const facts = factsOf(request);
      // A client that has guessed too often is not looked up again. Only guesses are counted, below.
      const guess = limits.ofGuesses.peek(facts);
      if (!guess.allowed) {
        reply.header("Retry-After", Math.ceil(guess.retryAfterMs / 1000));
        throw new HttpError(429, "too many unknown API keys");
      }
      request.account = await accounts.find(String(request.headers["x-api-key"] ?? ""));
      if (request.account === undefined) {
        limits.ofGuesses.allow(facts);
        throw new HttpError(401, "unknown API key");
      }
    });
    await api.register(rateLimit, {
      limiter: limits.ofPlans,
      input: (request: FastifyRequest) => request.account as Account,
    });
    api.get("/report", async (request) => ({ account: request.account?.id, left: request.rateLimit?.remaining }));
  });
  return app;
}
