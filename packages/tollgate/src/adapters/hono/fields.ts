import type { Context } from "hono";
import { EXPOSE, type HeaderList } from "../../http/header-list.ts";
import { withFields } from "../fetch/fields.ts";
import type { Outgoing } from "./bindings.ts";

/**
 * Sets fields on Node's response, which keeps them whatever the handler returns, and is many times quicker than a `Headers`.
 *
 * @returns those that have to wait for the handler's response.
 */
export function setOnOutgoing(outgoing: Outgoing, fields: HeaderList): HeaderList {
  if (outgoing.headersSent) return [];
  const left: (readonly [string, string])[] = [];
  for (const field of fields) {
    // What the handler's response exposes would replace it.
    if (field[0] === EXPOSE) left.push(field);
    else outgoing.setHeader(field[0], field[1]);
  }
  return left;
}

/** Sets fields for the responses that Hono's helpers make. */
export function setOnContext(context: Context, fields: HeaderList): void {
  for (const [name, value] of fields) context.header(name, value, { append: name === EXPOSE });
}

/** Adds to the response of the context what it lacks. */
export function addToResponse(context: Context, fields: HeaderList): void {
  const response = context.res;
  const complete = withFields(response, fields);
  if (complete !== response) replaceResponse(context, complete);
}

/** Gives the context another response, without the fields of the one before. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}
