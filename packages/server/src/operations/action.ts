import type { IncomingMessage } from "node:http";
import { TollgateError } from "tollgate";
import type { Operator, OperatorAction } from "../http/operator.ts";
import { sendJson } from "../http/responses.ts";
import { RequestError } from "./request-error.ts";

export interface Answer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers an operator. What it throws is answered, too: misuse is no failure of the service. */
export function action(
  access: OperatorAction["access"],
  answer: (request: IncomingMessage, operator: Operator) => Answer | Promise<Answer>,
): OperatorAction {
  return {
    access,
    handler: async (request, response, operator) => {
      try {
        const { body, headers } = await answer(request, operator);
        sendJson(response, 200, body, headers);
      } catch (error) {
        const known = asRequestError(error);
        // The rest of the body is not read.
        const headers = known.status === 413 ? { connection: "close", ...known.headers } : known.headers;
        sendJson(response, known.status, { error: known.message, ...known.details }, headers);
      }
    },
  };
}

function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof TollgateError)) throw error;
  return new RequestError(error.code === "ERR_STORE" ? 503 : 400, error.message, { code: error.code });
}
