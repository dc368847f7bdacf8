import type { Context } from "hono";
import { EXPOSE, type HeaderList } from "../../http/header-list.ts";
import { withFields } from "../fetch/fields.ts";

/** Sets fields for the responses that Hono's helpers make. */
export function setOnContext(context: Context, fields: HeaderList): void {
  for (const [name, value] of fields) context.header(name, value, { append: name === EXPOSE });
}

/** Adds to the response of the context what it lacks. */
export function addToResponse(context: Context, fields: HeaderList): void {
  const response = context.res;
  const complete = withFields(response, fields, context.get("rateLimit"));
  if (complete !== response) replaceResponse(context, complete);
}

/** Gives the context another response, without the fields of the one before. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}
