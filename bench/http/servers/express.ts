import { createServer } from "node:http";
import express, { type RequestHandler } from "express";
import { BODY, DAY_MS, type Framework, listen } from "./framework.ts";

export const FRAMEWORK: Framework<RequestHandler> = {
  usual: async (limit) => (await import("express-rate-limit")).rateLimit({ limit, windowMs: DAY_MS }),
  tollgate: async (options) => (await import("tollgate/express")).rateLimit(options),
  serve(middleware) {
    const app = express();
    if (middleware !== undefined) app.use(middleware);
    app.get("/", (_request, response) => void response.send(BODY));
    return listen(createServer(app));
  },
};
