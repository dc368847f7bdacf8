import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { NodeHandler } from "tollgate/node";
import type { TrustedPeer } from "./trusted-peer.ts";

/** What an id from a header may look like: a UUID, a ULID, a trace id, nginx's `$request_id`. */
const ACCEPTED = /^[\w.:+/=-]{1,128}$/;

/** The header that brings an id from a proxy, and takes it back to the client. */
const HEADER = "x-request-id";

/** Gives each request an id: that of a trusted proxy if it is well-formed, else a random one. */
export class RequestIds {
  readonly #isTrusted: TrustedPeer;
  readonly #ids = new WeakMap<IncomingMessage, string>();

  constructor(isTrusted: TrustedPeer) {
    this.#isTrusted = isTrusted;
  }

  of(request: IncomingMessage): string {
    const known = this.#ids.get(request);
    if (known !== undefined) return known;
    const id = this.#fromProxy(request) ?? randomUUID();
    this.#ids.set(request, id);
    return id;
  }

  /** Puts the id on each response of a handler. */
  inFrontOf(handler: NodeHandler): NodeHandler {
    return (request, response) => {
      response.setHeader(HEADER, this.of(request));
      return handler(request, response);
    };
  }

  #fromProxy(request: IncomingMessage): string | undefined {
    const sent = request.headers[HEADER];
    return typeof sent === "string" && ACCEPTED.test(sent) && this.#isTrusted(request) ? sent : undefined;
  }
}
