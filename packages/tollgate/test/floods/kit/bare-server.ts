import { createServer } from "node:http";
import { ordersOfChild, sendToParent } from "./child.ts";
import type { ServerStarted } from "./flood-server.ts";
import { BODY, listen } from "./serving.ts";

/** The process of a server without a limiter, to measure the effect of a flood on any server. */
ordersOfChild();
const started: ServerStarted = { port: await listen(createServer((_request, response) => void response.end(BODY))) };
sendToParent(started);
