import { TollgateError } from "../../../core/errors.ts";
import { KEYS_PER_PORTION, keyPattern, type Portion, scanNode } from "./portions.ts";
import type { RedisPort, RedisScript, RunScript } from "./redis-port.ts";
import { scriptRunner } from "./run-script.ts";

type Run = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** `new Redis(…)` of @upstash/redis, or a client with these methods. */
export interface UpstashClient {
  readonly evalsha: Run;
  readonly eval: Run;
  scan(cursor: string, options: { readonly match: string; readonly count: number }): Promise<Portion>;
  /** The HTTP client. `attempts` is the number of retries. */
  readonly client?: { readonly retry?: { readonly attempts?: unknown } };
}

/**
 * @upstash/redis. Each call is an HTTP request with the current value of the cancel flag. A failed request may have
 * been executed, so the constructor throws for a client with retries, the default. A call that timed out in the store
 * may be executed while its request runs, once. The client's `signal` bounds that time.
 */
export class UpstashPort implements RedisPort {
  readonly name = "@upstash/redis";
  readonly cluster = false;
  /** Each request has its own connection. */
  readonly connected = true;
  readonly run: RunScript;
  readonly #client: UpstashClient;

  constructor(client: UpstashClient, script: RedisScript) {
    const attempts = client.client?.retry?.attempts ?? 0;
    if (attempts !== 0) {
      throw new TollgateError(
        "ERR_OPTION",
        "client: expected one of @upstash/redis with retry: { retries: 0 }, which sends nothing twice, " +
          "got one that tries again (as with retry: false)",
      );
    }
    this.#client = client;
    this.run = scriptRunner(script, (command, text, { keys, args, cancelFlag }) =>
      client[command === "EVALSHA" ? "evalsha" : "eval"](text, [...keys], [cancelFlag.text, ...args]),
    );
  }

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const options = { match: keyPattern(prefix), count: KEYS_PER_PORTION };
    yield* scanNode("", async (cursor) => {
      const [next, keys] = await this.#client.scan(cursor, options);
      return [next, keys.map(keyText)];
    });
  }

  onLost(): () => void {
    return () => {};
  }
}

/** By default the client parses texts that look like JSON. */
function keyText(key: unknown): string {
  return typeof key === "string" ? key : JSON.stringify(key);
}
