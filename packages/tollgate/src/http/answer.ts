/** A response that the gate gives in the handler's place. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A JSON answer that no cache keeps. */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): HttpAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
    body: JSON.stringify(body),
  };
}

/** What a client is told when the limiter failed: nothing of the inside. */
export function failureAnswer(): HttpAnswer {
  return jsonAnswer(500, { error: "internal server error" });
}
