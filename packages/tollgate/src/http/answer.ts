/** A response that the gate gives in the handler's place. Its fields beside the content type are the verdict's. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = "application/json; charset=utf-8";

export function jsonAnswer(status: number, body: unknown, contentType: string = JSON_TYPE): HttpAnswer {
  return { status, contentType, body: JSON.stringify(body) };
}

/** What a client is told when the limiter failed: nothing of the inside. */
export const FAILURE: HttpAnswer = jsonAnswer(500, { error: "internal server error" });

/** The same where failures deny. */
export const UNAVAILABLE: HttpAnswer = jsonAnswer(503, { error: "service unavailable" });

/** For clients that are refused by their address. */
export const FORBIDDEN: HttpAnswer = jsonAnswer(403, { error: "forbidden" });
