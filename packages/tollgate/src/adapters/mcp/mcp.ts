import { checkOptions, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { type Cost, copyCost } from "../../core/cost.ts";
import type { Denied } from "../../core/decision.ts";
import { checkLimiter } from "../../http/check-gate-options.ts";
import { type ErrorLog, safeErrorLog } from "../../http/error-log.ts";
import type { TakingCalls } from "../../http/limiter-shape.ts";
import { placesOf } from "../../http/request-places.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";

/** A call of a tool, as the SDK's transport authenticated it. */
export interface ToolCall {
  readonly tool: string;
  /**
   * The subject (`authInfo.extra.sub`) or the client (`authInfo.clientId`) of the verified token; `"anonymous"` without
   * a token. Session ids are not looked at: a client opens as many sessions as it likes.
   */
  readonly caller: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the SDK's authentication found. */
  readonly authInfo: AuthInfo | undefined;
}

/** The part of the SDK's `AuthInfo` that is used. */
export interface AuthInfo {
  readonly clientId?: string;
  readonly scopes?: readonly string[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The options of `limitTools`. */
export interface ToolLimitOptions<Input> {
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  /** The limiter's input; by default the call itself. */
  readonly input?: (call: ToolCall) => Input | Promise<Input>;
  /** What a call costs; by default what the limiter says, or 1. */
  readonly cost?: Cost | ((call: ToolCall) => Cost | Promise<Cost>);
  /** Is told of places that could not be renewed or freed. By default a warning of the process. */
  readonly logError?: (error: unknown, call: ToolCall) => void;
}

type FittingInput<Input> = [ToolCall] extends [Input] ? unknown : { readonly input: object };

/** An `McpServer` of either SDK, before its first tool. */
export interface ToolServer {
  readonly server: {
    // biome-ignore lint/suspicious/noExplicitAny: the schemas and handlers of the two SDKs have no type in common.
    setRequestHandler(...args: any[]): unknown;
    assertCanSetRequestHandler(method: string): void;
  };
}

const NAMES: Readonly<Record<keyof ToolLimitOptions<never>, true>> = {
  limiter: true,
  input: true,
  cost: true,
  logError: true,
};

const TOOLS_CALL = "tools/call";

/**
 * Limits the calls of a server's tools, for versions 1 and 2 of the MCP SDK. Call it before the first `registerTool`.
 * Only `tools/call` is counted, each call of a batch by itself. A denied call does not reach its tool: its result has
 * `isError`, a text that says when to try again, which the model reads, and `_meta["tollgate/retryAfterMs"]`. Where a
 * limit counts places, a call has one until its tool has returned.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected, or when the server has tools already.
 * @example
 * ```ts
 * import { McpServer } from "@modelcontextprotocol/server";
 * import { createLimiter, perMinute } from "tollgate";
 * import { limitTools, type ToolCall } from "tollgate/mcp";
 *
 * const server = new McpServer({ name: "search", version: "1.0.0" });
 * const limiter = createLimiter({
 *   name: "tools",
 *   key: ({ caller, tool }: ToolCall) => [caller, tool],
 *   limits: [perMinute(30)],
 * });
 * limitTools(server, { limiter });
 * server.registerTool("today", {}, () => ({ content: [{ type: "text", text: new Date().toDateString() }] }));
 * ```
 */
export function limitTools<Input>(server: ToolServer, options: ToolLimitOptions<Input> & FittingInput<Input>): void {
  const limit = new ToolLimit(options);
  const protocol = server?.server;
  if (typeof protocol?.setRequestHandler !== "function" || typeof protocol.assertCanSetRequestHandler !== "function") {
    throw optionError("limitTools", "an McpServer of the MCP SDK", server);
  }
  if (hasTools(protocol)) {
    throw optionError("limitTools", "a server without tools", server, "; call limitTools before registerTool");
  }
  const setRequestHandler = protocol.setRequestHandler.bind(protocol);
  protocol.setRequestHandler = (request: unknown, ...others: unknown[]): unknown => {
    const handler = others.at(-1);
    if (methodOf(request) !== TOOLS_CALL || typeof handler !== "function") return setRequestHandler(request, ...others);
    return setRequestHandler(request, ...others.slice(0, -1), limit.around(handler as Handler));
  };
}

function hasTools(protocol: ToolServer["server"]): boolean {
  try {
    protocol.assertCanSetRequestHandler(TOOLS_CALL);
    return false;
  } catch {
    return true;
  }
}

/** The method is a text in version 2, and the literal of a schema of zod 3 or 4 in version 1. */
function methodOf(request: unknown): unknown {
  if (typeof request === "string") return request;
  const { shape } = request as {
    readonly shape?: { readonly method?: unknown } | (() => { readonly method?: unknown });
  };
  const method = (typeof shape === "function" ? shape() : shape)?.method;
  return (method as { readonly value?: unknown } | undefined)?.value;
}

type Handler = (request: ToolRequest, context: CallContext) => unknown;

interface ToolRequest {
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    /** Version 1: the call asks for a task, whose result has another shape. */
    readonly task?: unknown;
  };
}

/** `extra` of version 1 has `authInfo` itself, the context of version 2 has it under `http`. */
interface CallContext {
  readonly authInfo?: AuthInfo;
  readonly http?: { readonly authInfo?: AuthInfo };
}

class ToolLimit<Input> {
  readonly #limiter: TakingCalls<Input>;
  readonly #clock: Clock;
  readonly #input: (call: ToolCall) => Input | Promise<Input>;
  readonly #cost: ToolLimitOptions<Input>["cost"];
  readonly #logError: ErrorLog<ToolCall>;

  constructor(options: ToolLimitOptions<Input>) {
    checkOptions("limitTools", options, NAMES);
    const { limiter, input = (call) => call as Input, cost, logError } = options;
    checkLimiter(limiter, ["take"]);
    checkFunction("input", input, "a function of the call");
    if (options.input === undefined && (limiter as { readonly keyed?: unknown }).keyed === false) {
      throw optionError("limiter", "one with a key function of a tool call", limiter, "; or give limitTools `input`");
    }
    if (logError !== undefined) checkFunction("logError", logError, "a function of an error");
    this.#limiter = limiter as unknown as TakingCalls<Input>;
    this.#clock = "clock" in limiter ? (limiter.clock as Clock) : systemClock;
    this.#input = input;
    this.#cost = typeof cost === "function" || cost === undefined ? cost : copyCost(cost);
    this.#logError = safeErrorLog(logError);
  }

  around(handler: Handler): Handler {
    return async (request, context) => {
      const call = callOf(request, context);
      const cost = typeof this.#cost === "function" ? await this.#cost(call) : this.#cost;
      const counted = await this.#limiter.take(await this.#input(call), cost);
      if (!counted.decision.allowed) return denialOf(call, counted.decision, request.params.task !== undefined);
      const free = placesOf(counted, { clock: this.#clock, logError: (error) => this.#logError(error, call) })?.hold();
      try {
        return await handler(request, context);
      } finally {
        free?.();
      }
    };
  }
}

function callOf({ params }: ToolRequest, { authInfo: first, http }: CallContext): ToolCall {
  const authInfo = first ?? http?.authInfo;
  const subject = authInfo?.extra?.["sub"];
  const caller = typeof subject === "string" && subject !== "" ? subject : (authInfo?.clientId ?? "anonymous");
  return { tool: params.name, caller, arguments: params.arguments ?? {}, authInfo };
}

/** @throws Error for a task: its result cannot be a text. */
function denialOf({ tool }: ToolCall, { retryAfterMs, reason }: Denied, isTask: boolean): object {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const when = Number.isFinite(seconds)
    ? `Try again in ${seconds} s.`
    : "It will not pass later either: do not repeat it.";
  const text = `The tool ${tool} was not called: rate limit exceeded (${reason}). ${when}`;
  if (isTask) throw new Error(text);
  const meta = Number.isFinite(seconds) ? { "tollgate/retryAfterMs": retryAfterMs } : {};
  return { isError: true, content: [{ type: "text", text }], _meta: { "tollgate/reason": reason, ...meta } };
}
