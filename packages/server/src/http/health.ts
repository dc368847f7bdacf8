import type { NodeHandler } from "tollgate/node";
import { sendJson } from "./responses.ts";

/** What health says apart from its status, such as which limits are in force. */
export type HealthDetails = () => Readonly<Record<string, unknown>>;

/** Says that the process answers. It costs the client nothing, and says nothing of what it depends on. */
export function healthz(details: HealthDetails): NodeHandler {
  return (_request, response) => sendJson(response, 200, { status: "ok", ...details() });
}

/** Says whether the service wants requests: 503 from the moment when it stops, until its last request is finished. */
export function readyz(isReady: () => boolean): NodeHandler {
  return (_request, response) =>
    isReady() ? sendJson(response, 200, { status: "ready" }) : sendJson(response, 503, { status: "stopping" });
}
