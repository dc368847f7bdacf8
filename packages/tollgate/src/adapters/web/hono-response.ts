import type { Context } from "hono";
import { lastAsked } from "../../http/asked.ts";
import { EXPOSE, type HeaderList } from "../../http/header-list.ts";
import { withHeaders } from "./response-headers.ts";

/** Sets headers for the responses that Hono's helpers make. */
export function setOnContext(context: Context, headers: HeaderList): void {
  for (const [name, value] of headers) context.header(name, value, { append: name === EXPOSE });
}

/** Adds headers to the context's response, unless it has them. */
export function addToResponse(context: Context, headers: HeaderList): void {
  const response = context.res;
  const complete = withHeaders(response, headers, lastAsked(context.req.raw)?.decision);
  if (complete !== response) replaceResponse(context, complete);
}

/** Replaces the context's response. Without the first assignment Hono would copy the old response's headers. */
export function replaceResponse(context: Context, response: Response): void {
  context.res = undefined;
  context.res = response;
}

/**
 * Tells `@hono/node-server` to send nothing, because another response was sent or the client has gone. It is a copy,
 * because for untouched responses that the server's own `Response` has made, the server would send the headers.
 */
export function alreadySent(): Response {
  return new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone();
}
