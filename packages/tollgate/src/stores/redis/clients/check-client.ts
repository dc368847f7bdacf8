import { isPromise } from "../../../core/checks.ts";
import { TollgateError } from "../../../core/errors.ts";

/** What is easily mistaken for a client, and what to do about it. Addresses are not shown: they may have passwords. */
const MISTAKES: readonly (readonly [isMistaken: (client: unknown) => boolean, advice: string])[] = [
  [
    (client) => typeof client === "string",
    "text; if it is an address, create a client from it, as in new Redis(address)",
  ],
  [(client) => client instanceof URL, "a URL; create a client from it, as in new Redis(url.href)"],
  [isPromise, "a promise; await it first"],
];

/**
 * Checks what passes for a client at first sight. `findPort` recognises the client.
 *
 * @throws TollgateError `ERR_OPTION` for an address, a promise, or a client that its application has not connected.
 */
export function checkClient(client: unknown): void {
  const mistake = MISTAKES.find(([isMistaken]) => isMistaken(client));
  if (mistake !== undefined) {
    throw new TollgateError("ERR_OPTION", `client: expected ${EXPECTED_CLIENT}, got ${mistake[1]}`);
  }
  // Only clients of redis (node-redis) have this property. It is true from `connect()` on, even without a server.
  if ((client as { readonly isOpen?: unknown } | null | undefined)?.isOpen !== false) return;
  throw new TollgateError(
    "ERR_OPTION",
    "client: expected a client of redis that is connected, got one that is not; call await client.connect() first",
  );
}

/** For messages. */
export const EXPECTED_CLIENT =
  "a client of ioredis, redis, iovalkey, @valkey/valkey-glide or @upstash/redis, or { sendCommand }";
