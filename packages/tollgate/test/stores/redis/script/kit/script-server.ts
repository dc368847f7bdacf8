import { afterAll, beforeAll } from "vitest";
import { decodeReply, type TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";
import { type EncodedCall, encodeCall } from "../../../../../src/stores/redis/script/encode-call.ts";
import { SCRIPT } from "../../../../../src/stores/redis/script/source.generated.ts";
import { RawConnection } from "../../servers/raw-connection.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import { type RawReply, type Reply, textOf } from "../../servers/resp.ts";
import { type RedisOptions, startRedis } from "../../servers/start-redis.ts";
import type { TimedTransaction } from "./script-call.ts";

/** Whose time decides: the server's, or that of each transaction. */
interface Run {
  readonly time: "server" | "transactions";
  readonly transactions: readonly TimedTransaction[];
}

/** A server with the script loaded, and a connection to it. */
export class ScriptServer {
  readonly #redis: RedisServer;
  readonly #connection: RawConnection;
  readonly #sha: string;

  private constructor(redis: RedisServer, connection: RawConnection, sha: string) {
    this.#redis = redis;
    this.#connection = connection;
    this.#sha = sha;
  }

  static async start(options?: RedisOptions): Promise<ScriptServer> {
    const redis = await startRedis(options);
    const connection = await RawConnection.open(redis.port);
    return new ScriptServer(redis, connection, String(textOf(await connection.call("SCRIPT", "LOAD", SCRIPT))));
  }

  async stop(): Promise<void> {
    this.#connection.close();
    await this.#redis.stop();
  }

  async command(...command: readonly string[]): Promise<Reply> {
    return textOf(await this.#connection.call(...command));
  }

  async raw(...command: readonly string[]): Promise<RawReply> {
    return this.#connection.call(...command);
  }

  /**
   * The outcomes of the transactions, in one call of the script for each moment in turn; `undefined` for a cancelled
   * call.
   */
  async run({ time, transactions }: Run, cancelFlag?: string): Promise<readonly TransactionOutcome[] | undefined> {
    const parts = time === "server" ? [transactions] : byMoment(transactions);
    const outcomes = await Promise.all(
      parts.map(async (part) => {
        const nowUs = time === "server" ? undefined : part[0]!.nowUs;
        const call = encodeCall({ nowUs, transactions: part });
        const reply = textOf(await this.#connection.call(...this.#evalsha(call, cancelFlag)));
        return decodeReply(numbersIn(reply), part);
      }),
    );
    return outcomes.includes(undefined) ? undefined : outcomes.flatMap((some) => some ?? []);
  }

  #evalsha({ keys, args }: EncodedCall, cancelFlag?: string): string[] {
    return ["EVALSHA", this.#sha, String(keys.length)].concat(keys, cancelFlag ?? "1", args);
  }
}

/** Consecutive transactions of one moment. */
function byMoment(transactions: readonly TimedTransaction[]): readonly (readonly TimedTransaction[])[] {
  const parts: TimedTransaction[][] = [];
  for (const transaction of transactions) {
    const last = parts.at(-1);
    if (last?.[0]?.nowUs === transaction.nowUs) last.push(transaction);
    else parts.push([transaction]);
  }
  return parts;
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

/** The numbers of a script's reply. The greatest ones are sent as text. */
function numbersIn(reply: Reply): readonly number[] {
  return (Array.isArray(reply) ? reply : [reply]).map(Number);
}
