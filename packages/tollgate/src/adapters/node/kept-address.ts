import type { IncomingMessage } from "node:http";

/** A property rather than a map: it is set for each request that is waited with. */
const ADDRESS = Symbol("address of the peer");

type WithAddress = IncomingMessage & { [ADDRESS]?: string | undefined };

/** Notes the address of a request's peer before anything is waited for: one that is gone by then has none any more. */
export function keepAddress(request: IncomingMessage): void {
  (request as WithAddress)[ADDRESS] ??= request.socket?.remoteAddress;
}

export function keptAddress(request: IncomingMessage): string | undefined {
  return (request as WithAddress)[ADDRESS];
}
