import { createServer } from "node:http";
import Koa, { type Middleware } from "koa";
import { BODY, type Framework, listen } from "./framework.ts";

export const FRAMEWORK: Framework<Middleware> = {
  tollgate: async (options) => (await import("tollgate/koa")).rateLimit(options),
  serve(middleware) {
    const app = new Koa();
    if (middleware !== undefined) app.use(middleware);
    app.use((context) => {
      context.body = BODY;
    });
    const handle = app.callback();
    return listen(createServer((request, response) => void handle(request, response)));
  },
};
