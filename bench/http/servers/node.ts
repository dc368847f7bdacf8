import { createServer, type RequestListener } from "node:http";
import { BODY, type Framework, listen } from "./framework.ts";

const handler: RequestListener = (_request, response) => void response.end(BODY);

export const FRAMEWORK: Framework<(handler: RequestListener) => RequestListener> = {
  tollgate: async (options) => (await import("tollgate/node")).rateLimit(options),
  serve: (limit = (plain) => plain) => listen(createServer(limit(handler))),
};
