import type { Settle } from "../../http/settlement.ts";

/** What a Worker is handed last, and the middleware of Next.js second. */
interface Lifetime {
  waitUntil(task: Promise<unknown>): void;
}

/**
 * The same where the runtime ends what a request has begun as soon as its response is sent or its client goes, as Workers do:
 * it is told to wait until the request is settled.
 */
export function keptAlive(settle: Settle, others: readonly unknown[]): Settle {
  const lifetime = others.find(isLifetime);
  if (lifetime === undefined) return settle;
  let done = (): void => {};
  lifetime.waitUntil(
    new Promise<void>((resolve) => {
      done = resolve;
    }),
  );
  return (outcome) => settle(outcome, done);
}

function isLifetime(other: unknown): other is Lifetime {
  return typeof other === "object" && other !== null && "waitUntil" in other && typeof other.waitUntil === "function";
}
