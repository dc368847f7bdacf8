import { TollgateError } from "../../../core/errors.ts";
import { fenceText } from "./fence-bytes.ts";
import { inTurn } from "./in-turn.ts";
import type { RedisPort, RedisScript, ScriptCall, ScriptReply } from "./redis-port.ts";
import { runScript } from "./run-script.ts";
import { KEYS_PER_PORTION, keyPattern, type Portion, scanNode } from "./scan-node.ts";

type Run = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/** `new Redis(…)` of @upstash/redis, or a client that has these methods. */
export interface UpstashClient {
  readonly evalsha: Run;
  readonly eval: Run;
  scan(cursor: string, options: { readonly match: string; readonly count: number }): Promise<Portion>;
  unlink(...keys: readonly string[]): Promise<unknown>;
  /** What sends its requests. `attempts` is how often it tries again. */
  readonly client?: { readonly retry?: { readonly attempts?: unknown } };
}

/**
 * @upstash/redis: each call is a request over HTTP, with the fence as it is then. A request that fails may have landed all the same,
 * so a client that sends it again, as it does by default, is refused. A call that the store gave up may land as long as its request
 * runs, once; the client's `signal` limits that.
 */
export class UpstashPort implements RedisPort {
  readonly name = "@upstash/redis";
  readonly cluster = false;
  /** Each request is a connection of its own. */
  readonly connected = true;
  readonly #client: UpstashClient;
  readonly #script: RedisScript;

  constructor(client: UpstashClient, script: RedisScript) {
    const attempts = client.client?.retry?.attempts ?? 0;
    if (attempts !== 0) {
      throw new TollgateError(
        "ERR_OPTION",
        "client: expected one of @upstash/redis with retry: { retries: 0 }, which sends nothing twice, got one that tries again " +
          "(as with retry: false)",
      );
    }
    this.#client = client;
    this.#script = script;
  }

  run({ keys, args, fence }: ScriptCall): Promise<ScriptReply> {
    const parameters = (): [string[], string[]] => [[...keys], [fenceText(fence), ...args]];
    return runScript(
      fence,
      () => this.#client.evalsha(this.#script.sha, ...parameters()),
      () => this.#client.eval(this.#script.source, ...parameters()),
    );
  }

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const options = { match: keyPattern(prefix), count: KEYS_PER_PORTION };
    yield* scanNode("", async (cursor) => {
      const [next, keys] = await this.#client.scan(cursor, options);
      return [next, keys.map(keyText)];
    });
  }

  async unlink(keys: readonly string[]): Promise<void> {
    await inTurn(keys, KEYS_PER_PORTION, (some) => this.#client.unlink(...some));
  }

  onLost(): () => void {
    return () => {};
  }
}

/** Unless it is told not to, the client takes what looks like JSON for that. */
function keyText(key: unknown): string {
  return typeof key === "string" ? key : JSON.stringify(key);
}
