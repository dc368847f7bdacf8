import { show } from "../core/errors.ts";

interface Warning {
  readonly emitWarning?: (warning: string | Error) => void;
}

/** Tells the process, as a warning, where there is one: Node, Bun and Deno. */
export function warn(error: unknown): void {
  const { process } = globalThis as { readonly process?: Warning };
  process?.emitWarning?.(error instanceof Error ? error : show(error));
}
