import { createServer } from "node:http";
import { BODY } from "./adapters/handler.ts";
import { listen } from "./adapters/listen.ts";
import type { ServerStarted } from "./flood-server.ts";
import { ordersOfChild, tellParent } from "./in-child.ts";

/** The process of a server without a limiter: what a flood does to any. */
ordersOfChild();
const started: ServerStarted = { port: await listen(createServer((_request, response) => void response.end(BODY))) };
tellParent(started);
