import { afterAll, beforeAll } from "vitest";
import { decodeReply, type TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";
import { type EncodedCall, encodeCall, type ScriptInput } from "../../../../../src/stores/redis/script/encode-call.ts";
import { SCRIPT } from "../../../../../src/stores/redis/script/source.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import { type RawReply, type Reply, textOf } from "../../servers/resp.ts";
import { type RedisOptions, startRedis } from "../../servers/start-redis.ts";
import { numbersIn, ScriptConnection } from "./script-connection.ts";

const MOST_TRIES = 1_000;

/** A server with the script loaded, and a connection to it. */
export class ScriptServer {
  readonly #redis: RedisServer;
  readonly #connection: ScriptConnection;
  readonly #sha: string;

  private constructor(redis: RedisServer, connection: ScriptConnection, sha: string) {
    this.#redis = redis;
    this.#connection = connection;
    this.#sha = sha;
  }

  static async start(options?: RedisOptions): Promise<ScriptServer> {
    const redis = await startRedis(options);
    const connection = await ScriptConnection.open(redis.port);
    return new ScriptServer(redis, connection, String(textOf(await connection.call(["SCRIPT", "LOAD", SCRIPT]))));
  }

  async stop(): Promise<void> {
    this.#connection.close();
    await this.#redis.stop();
  }

  async command(...command: readonly string[]): Promise<Reply> {
    return textOf(await this.#connection.call(command));
  }

  async raw(...command: readonly string[]): Promise<RawReply> {
    return this.#connection.call(command);
  }

  /** The outcomes of the transactions; `undefined` for a cancelled call. */
  async run(input: ScriptInput, cancelFlag?: string): Promise<readonly TransactionOutcome[] | undefined> {
    const call = encodeCall(input);
    const reply = textOf(await this.#connection.call(this.#evalsha(call, cancelFlag)));
    return decodeReply(numbersIn(reply), input.transactions, call.described);
  }

  /** The time to live of the call's only key, a new one. Retried until the server's clock does not change meanwhile. */
  async leftAfter(input: ScriptInput): Promise<number> {
    const command = this.#evalsha(encodeCall(input));
    const name = command[3] ?? "";
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const [, before, , after, expires] = await Promise.all([
        this.command("DEL", name),
        this.command("TIME"),
        this.#connection.call(command),
        this.command("TIME"),
        this.command("PEXPIRETIME", name),
      ]);
      if (millisecondOf(before) === millisecondOf(after)) return Number(expires) - millisecondOf(before);
    }
    throw new Error("expected a call that takes less than a millisecond");
  }

  #evalsha({ form, keys, args }: EncodedCall, cancelFlag?: string): string[] {
    return ["EVALSHA", this.#sha, String(keys.length)].concat(keys, cancelFlag ?? form, args);
  }
}

/** The millisecond of a reply of TIME. */
function millisecondOf(time: Reply): number {
  const [seconds, us] = time as [string, string];
  return Number(seconds) * 1_000 + Math.floor(Number(us) / 1_000);
}

/** A server for all tests of a file. */
export function useScriptServer(options?: RedisOptions): { readonly server: ScriptServer } {
  let started: ScriptServer | undefined;
  beforeAll(async () => {
    started = await ScriptServer.start(options);
  });
  afterAll(() => started?.stop());
  return {
    get server() {
      if (started === undefined) throw new Error("the server runs while tests do");
      return started;
    },
  };
}
