import { decodeReply, type TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";
import { encodeCall } from "../../../../../src/stores/redis/script/encode-call.ts";
import { SCRIPT } from "../../../../../src/stores/redis/script/source.generated.ts";
import type { TimedTransaction } from "../../script/kit/script-call.ts";
import { numbersIn } from "../../script/kit/script-server.ts";
import { RawConnection } from "../../servers/raw-connection.ts";
import { textOf } from "../../servers/resp.ts";
import type { Flaw } from "./flaw.ts";

/** A real server that runs the shipped script, or one with a flaw, at the times of a simulation. */
export class SimRedis {
  readonly #connection: RawConnection;
  readonly #sha: string;

  private constructor(connection: RawConnection, sha: string) {
    this.#connection = connection;
    this.#sha = sha;
  }

  static async connect(port: number, flaw?: Flaw): Promise<SimRedis> {
    const connection = await RawConnection.open(port);
    const sha = await connection.call("SCRIPT", "LOAD", flawed(flaw?.script ?? []));
    return new SimRedis(connection, String(textOf(sha)));
  }

  async run(transaction: TimedTransaction): Promise<TransactionOutcome> {
    const transactions = [transaction];
    const { keys, args } = encodeCall({ nowUs: transaction.nowUs, transactions });
    const command = ["EVALSHA", this.#sha, String(keys.length)].concat(keys, "1", args);
    const answer = await this.#connection.call(...command);
    return decodeReply(numbersIn(textOf(answer)), transactions)![0]!;
  }

  async forget(key: string): Promise<void> {
    await this.#connection.call("DEL", key);
  }

  /** What a replica has that gets no later writes. */
  async replicate(key: string, replica: string): Promise<void> {
    await this.#connection.call("COPY", key, replica, "REPLACE");
  }

  /** The replica becomes the primary: later writes are lost. */
  async failOver(key: string, replica: string): Promise<void> {
    await this.#connection.call("DEL", key);
    await this.#connection.call("COPY", replica, key, "REPLACE");
  }

  close(): void {
    this.#connection.close();
  }
}

function flawed(replacements: readonly (readonly [string, string])[]): string {
  let text = SCRIPT;
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`expected a script with ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
