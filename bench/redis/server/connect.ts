import { Redis } from "ioredis";
import type { Variant } from "../variant.ts";
import { HOST } from "./host.ts";

/**
 * A client of ioredis: with its defaults, or pipelining what is asked in one turn of the event loop. It never connects again: a
 * measurement does not outlive its connection.
 */
export function connect(port: number, client: Variant["client"]): Redis {
  return new Redis({ host: HOST, port, enableAutoPipelining: client === "auto-pipelined", retryStrategy: () => null });
}
