import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeHandler } from "tollgate/node";
import type { OperatorActions, OperatorRoutes } from "../http/operator.ts";
import type { RequestIds } from "../http/request-ids.ts";
import { sendJson } from "../http/responses.ts";
import type { Route, Routes } from "../http/route-table.ts";
import { type AdminToken, nameOfToken } from "./admin-token.ts";

const SCHEME = /^Bearer +([\w.~+/=-]+)$/i;

/** What the admin listener knows of tokens. */
export interface TokenCheck {
  readonly find: (token: string) => Holder | undefined;
  /** Is notified of requests with a known token, and of those with another. */
  readonly noteKnown: (request: IncomingMessage) => void;
  readonly noteRefused: (request: IncomingMessage) => void;
  /** Seconds until the token may call again, if it calls too often. */
  readonly waitSeconds: (name: string) => number | undefined;
}

export interface TokenSettings extends TokenCheck {
  /** Without tokens, plain routes are open, and those of operators closed. */
  readonly hasTokens: boolean;
  readonly ids: RequestIds;
}

/** The name of a token, and what it may do. */
export interface Holder {
  readonly name: string;
  readonly access: AdminToken["access"];
}

/** Finds the holder of a token. */
export class TokenHolders {
  readonly #holders: readonly (Holder & { readonly digest: Buffer })[];

  constructor(tokens: readonly AdminToken[]) {
    this.#holders = tokens.map((token) => ({
      name: nameOfToken(token),
      access: token.access,
      digest: digestOf(token.token),
    }));
  }

  /** Compares all tokens, each in constant time: the time tells neither which one matched nor how far. */
  find(token: string): Holder | undefined {
    const digest = digestOf(token);
    let found: Holder | undefined;
    for (const holder of this.#holders) found = timingSafeEqual(holder.digest, digest) ? holder : found;
    return found;
  }
}

/** The same routes, behind the tokens. */
export function onlyWithTokens(settings: TokenSettings, routes: OperatorRoutes): Routes {
  const door = new TokenDoor(settings);
  const guarded = Object.entries(routes).map(([path, route]): [string, NodeHandler | Route] => [
    path,
    typeof route === "function" ? door.plain(path, route) : door.route(route),
  ]);
  return Object.fromEntries(guarded);
}

class TokenDoor {
  readonly #settings: TokenSettings;

  constructor(settings: TokenSettings) {
    this.#settings = settings;
  }

  /** A route that is open if there are no tokens: then all clients together call each as often as one token may. */
  plain(path: string, handler: NodeHandler): NodeHandler {
    return (request, response) => {
      const holder = this.#holderOf(request);
      if (this.#settings.hasTokens && holder === undefined) return this.#refuse(request, response);
      if (this.#isTooOften(holder?.name ?? path, response)) return;
      return handler(request, response);
    };
  }

  /** The actions of operators: they need a token, which the log names with each change. */
  route(actions: OperatorActions): Route {
    const methods = Object.keys(actions).flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method]));
    const handler: NodeHandler = (request, response) => {
      if (!this.#settings.hasTokens) return sendJson(response, 403, { error: "expected --admin-token-file" });
      const holder = this.#holderOf(request);
      if (holder === undefined) return this.#refuse(request, response);
      const action = actions[request.method === "HEAD" ? "GET" : (request.method ?? "")];
      // The route has no other methods.
      if (action === undefined) return sendJson(response, 405, { error: "method not allowed" });
      if (action.access === "write" && holder.access === "read") {
        return sendJson(response, 403, { error: "this token may only read" });
      }
      const { name, access } = holder;
      const operator = { name, access, requestId: this.#settings.ids.of(request) };
      if (this.#isTooOften(name, response)) return;
      return action.handler(request, response, operator);
    };
    return { methods, handler };
  }

  /** Answers a token, or clients without one, that call too often. */
  #isTooOften(name: string, response: ServerResponse): boolean {
    const seconds = this.#settings.waitSeconds(name);
    if (seconds === undefined) return false;
    sendJson(response, 429, { error: "too many calls" }, { "retry-after": String(seconds) });
    return true;
  }

  #refuse(request: IncomingMessage, response: ServerResponse): void {
    this.#settings.noteRefused(request);
    sendJson(response, 401, { error: "unauthorized" }, { "www-authenticate": 'Bearer realm="tollgate"' });
  }

  #holderOf(request: IncomingMessage): Holder | undefined {
    const [, token = ""] = SCHEME.exec(request.headers.authorization ?? "") ?? [];
    const found = this.#settings.find(token);
    if (found !== undefined) this.#settings.noteKnown(request);
    return found;
  }
}

/** Digests have one length, as `timingSafeEqual` needs. */
function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
