import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeHandler } from "tollgate/node";

/** The client of an admin route that brought a token, and what its changes are called in the log. */
export interface Operator {
  /** The name of the token, or the beginning of its hash. */
  readonly name: string;
  /** `"read"`: its token may not change anything, and secrets that limits name are hidden from it. */
  readonly access: "read" | "write";
  readonly requestId: string;
}

export type OperatorHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  operator: Operator,
) => void | Promise<void>;

/** What a method of a route does: it needs a token, and one that may write if it changes something. */
export interface OperatorAction {
  readonly access: "read" | "write";
  readonly handler: OperatorHandler;
}

/** The actions of a path by their methods. */
export type OperatorActions = Readonly<Record<string, OperatorAction>>;

/** Routes of the admin listener. A plain handler is of GET and HEAD; it needs a token only if there are tokens. */
export type OperatorRoutes = Readonly<Record<string, NodeHandler | OperatorActions>>;
