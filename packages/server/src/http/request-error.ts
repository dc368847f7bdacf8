import { TollgateError } from "tollgate";
import { excerpt } from "./excerpt.ts";

/** A request is not what was expected. Nothing was counted, and nothing changed. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  /** What the answer has apart from the message. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

/** Misuse that the library finds is an error of the request, too. Throws all other errors. */
export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (!(error instanceof TollgateError)) throw error;
  return new RequestError(error.code === "ERR_STORE" ? 503 : 400, error.message, { code: error.code });
}

/** A part of a request is malformed. */
export function malformed(place: string, expected: string, got: unknown): RequestError {
  return new RequestError(400, `${place}: expected ${expected}, got ${excerpt(got)}`);
}
