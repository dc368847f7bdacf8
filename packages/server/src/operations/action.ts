import type { IncomingMessage } from "node:http";
import type { Operator, OperatorAction } from "../http/operator.ts";
import { sendJson } from "../http/responses.ts";

export interface Answer {
  /** 200 unless it says otherwise. */
  readonly status?: 200 | 202;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers an operator. */
export function action(
  access: OperatorAction["access"],
  answer: (request: IncomingMessage, operator: Operator) => Answer | Promise<Answer>,
): OperatorAction {
  return {
    access,
    handler: async (request, response, operator) => {
      const { status = 200, body, headers } = await answer(request, operator);
      sendJson(response, status, body, headers);
    },
  };
}
