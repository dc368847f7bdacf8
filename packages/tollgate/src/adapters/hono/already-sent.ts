/**
 * The sign for `@hono/node-server` to send nothing, because somebody else has answered, or the client is gone. It is a copy: of
 * responses that it has made itself, and nobody has looked into, the server sends the fields.
 */
export function alreadySent(): Response {
  return new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone();
}
