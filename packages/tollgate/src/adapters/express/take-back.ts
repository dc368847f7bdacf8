import type { ServerResponse } from "node:http";
import type { NextFunction } from "express";
import type { Refusal } from "../../http/gate.ts";

/** What a denial says of the answer itself; the fields about limits are true of any. */
const FIELDS_OF_DENIALS: readonly string[] = ["Retry-After", "Cache-Control"];

/**
 * `next` for `onDenied`, to be made before status and fields of the denial are set: it puts back what was there, where they are
 * still the denial's. Otherwise a route would answer with 429, and an error be answered so.
 */
export function takingBack(response: ServerResponse, { headers, answer }: Refusal, next: NextFunction): NextFunction {
  const { statusCode } = response;
  const own = headers.filter(([name]) => FIELDS_OF_DENIALS.includes(name));
  const before = own.map(([name]) => response.getHeader(name));
  const revoke = () => {
    if (response.headersSent) return;
    if (response.statusCode === answer.status) response.statusCode = statusCode;
    for (const [index, [name, value]] of own.entries()) {
      if (response.getHeader(name) === value) restore(response, name, before[index]);
    }
  };
  return (...parameters: unknown[]) => {
    revoke();
    (next as (...parameters: unknown[]) => void)(...parameters);
  };
}

function restore(response: ServerResponse, name: string, value: number | string | string[] | undefined): void {
  if (value === undefined) response.removeHeader(name);
  else response.setHeader(name, value);
}
