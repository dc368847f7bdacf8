import type { NodeHandler } from "tollgate/node";
import { sendJson, sendText } from "../http/responses.ts";
import type { WorkerSlot } from "./worker-slot.ts";

const PATIENCE_MS = 2_000;

/** `GET /rlconfig` for files of Envoy's service: what one of the workers has loaded. */
export function configurationOf(slots: readonly WorkerSlot[]): NodeHandler {
  return async (_request, response) => {
    const slot = slots.find(({ isReady }) => isReady);
    const answered = await slot?.ask({ what: "configuration" }, PATIENCE_MS);
    if (answered?.kind === "answer" && typeof answered.content === "string") {
      return sendText(response, answered.content);
    }
    return sendJson(response, 503, { error: "no worker answered" }, { "retry-after": "1" });
  };
}
