import express, { type Express } from "express";
import type { TrustProxy } from "tollgate/express";
import { accountOf, loginGuard, publicLimit } from "./limits.js";
import type { Passwords } from "./passwords.js";

export function createApp(passwords: Passwords, trustProxy: TrustProxy): Express {
  const app = express();
  app.get("/health", (_request, response) => void response.send("well"));

  // The account is in the body, so the guard comes after the parser, and before the password is checked.
  app.post("/login", express.json({ limit: "1kb" }), loginGuard(trustProxy), async (request, response) => {
    const account = accountOf(request);
    const { password } = request.body as { password?: unknown };
    console.log(`login: checking the password of ${account}`);
    const isCorrect = await passwords.areCorrect(account, typeof password === "string" ? password : "");
    response.status(isCorrect ? 204 : 401).end();
  });

  app.use("/api", publicLimit(trustProxy));
  app.get("/api/quote", (request, response) => {
    response.json({ quote: "Measure twice, cut once.", left: request.rateLimit?.remaining });
  });
  return app;
}
