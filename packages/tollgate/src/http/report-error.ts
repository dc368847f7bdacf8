import { show } from "../core/errors.ts";
import { isPromise } from "./when-ready.ts";

interface Warning {
  readonly emitWarning?: (warning: string | Error) => void;
}

/** Tells the process, as a warning, where there is one: Node, Bun and Deno. */
function warn(error: unknown): void {
  const { process } = globalThis as { readonly process?: Warning };
  process?.emitWarning?.(error instanceof Error ? error : show(error));
}

/** Hears of an error. Never throws. */
export type Reporter<Request> = (error: unknown, request: Request) => void;

/**
 * A reporter that may throw, at once or later: its own failure neither fails a request nor ends the process, which is warned of it
 * instead.
 */
export function guardedReporter<Request>(reportError: Reporter<Request> = warn): Reporter<Request> {
  return (failure, request) => {
    try {
      const reported: unknown = reportError(failure, request);
      if (isPromise(reported)) reported.then(undefined, warnOrNot);
    } catch (error) {
      warnOrNot(error);
    }
  };
}

function warnOrNot(error: unknown): void {
  try {
    warn(error);
  } catch {
    // Nobody is left to hear of it.
  }
}
