import type { ServerResponse } from "node:http";
import { TollgateError } from "tollgate";
import { excerpt } from "./excerpt.ts";
import { sendJson } from "./responses.ts";

/** A request is not what was expected. Nothing was counted, and nothing changed. */
export class RequestError extends Error {
  override readonly name: string = "RequestError";
  readonly status: number;
  /** What the answer has apart from the message. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

export function sendError(response: ServerResponse, { status, message, details, headers }: RequestError): void {
  // The rest of a body that is too long is not read.
  const all = status === 413 ? { connection: "close", ...headers } : headers;
  sendJson(response, status, { error: message, ...details }, all);
}

/** Misuse that the library finds is an error of the request, too. `undefined` for all other errors. */
export function requestErrorOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  if (!(error instanceof TollgateError)) return undefined;
  return new RequestError(error.code === "ERR_STORE" ? 503 : 400, error.message, { code: error.code });
}

/** A part of a request is malformed. */
export function malformed(place: string, expected: string, got: unknown): RequestError {
  return new RequestError(400, `${place}: expected ${expected}, got ${excerpt(got)}`);
}
