import type { KeepAlive, Settle } from "../../http/settlement.ts";
import type { Pass } from "../../http/verdict.ts";

/** The last argument of a Worker's handler, and the second of Next.js middleware. */
interface ExecutionContext {
  waitUntil(task: Promise<unknown>): void;
}

/**
 * Has the runtime wait until the request is settled, if an argument has a `waitUntil`. Workers end all work of a
 * request when its response is sent or its client goes.
 */
export function waitUntil(settle: Settle, others: readonly unknown[]): Settle {
  const keepAlive = keepAliveOf(others);
  if (keepAlive === undefined) return settle;
  let done = (): void => {};
  keepAlive(
    new Promise<void>((resolve) => {
      done = resolve;
    }),
  );
  return (outcome) => settle(outcome, done);
}

/** Has the runtime wait for what settles a request or frees its places, if an argument has a `waitUntil`. */
export function keepPassAlive({ places, settlement }: Pass, others: readonly unknown[]): void {
  if (places === undefined && settlement === undefined) return;
  const keepAlive = keepAliveOf(others);
  places?.keepAliveBy(keepAlive);
  settlement?.keepAliveBy(keepAlive);
}

/** The runtime's own function for tasks that outlast the response, if an argument has it. */
function keepAliveOf(others: readonly unknown[]): KeepAlive | undefined {
  const context = others.find(isExecutionContext);
  return context && ((task) => context.waitUntil(task));
}

function isExecutionContext(other: unknown): other is ExecutionContext {
  return typeof other === "object" && other !== null && "waitUntil" in other && typeof other.waitUntil === "function";
}
