import { isPromise } from "../core/checks.ts";
import { show } from "../core/errors.ts";

/**
 * Turns a thrown value into an error. Frameworks take `undefined`, `null` and 0 for no error, and Express also "route"
 * and "router". Express and Fastify would let the request pass, and Koa would never answer it.
 */
export function toError(thrown: unknown): Error {
  const isObject = typeof thrown === "object" && thrown !== null;
  return isObject ? (thrown as Error) : new Error("the limiter threw a value that is not an object", { cause: thrown });
}

/** Logs an error. Never throws. */
export type ErrorLog<Request> = (error: unknown, request: Request) => void;

/**
 * Makes a log of a user's function, which may throw or reject. Its failure neither fails a request nor ends the
 * process: it becomes a warning of the process.
 */
export function safeErrorLog<Request>(logError: ErrorLog<Request> = warn): ErrorLog<Request> {
  return (thrown, request) => {
    try {
      const logged: unknown = logError(thrown, request);
      if (isPromise(logged)) logged.then(undefined, tryToWarn);
    } catch (failure) {
      tryToWarn(failure);
    }
  };
}

interface Warning {
  readonly emitWarning?: (warning: string | Error) => void;
}

/** Warns where there is a process: on Node, Bun and Deno. */
function warn(error: unknown): void {
  const { process } = globalThis as { readonly process?: Warning };
  process?.emitWarning?.(error instanceof Error ? error : show(error));
}

function tryToWarn(error: unknown): void {
  try {
    warn(error);
  } catch {
    // There is no other place to log to.
  }
}
