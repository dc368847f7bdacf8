import type { NodeHandler } from "tollgate/node";
import { sendJson } from "./responses.ts";

/** Says that the process answers. It costs the client nothing, and says nothing of what it depends on. */
export const healthz: NodeHandler = (_request, response) => sendJson(response, 200, { status: "ok" });

/** Says whether the service wants requests: 503 from the moment when it stops, until its last request is finished. */
export function readyz(isReady: () => boolean): NodeHandler {
  return (_request, response) =>
    isReady() ? sendJson(response, 200, { status: "ready" }) : sendJson(response, 503, { status: "stopping" });
}
