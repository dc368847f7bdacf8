import { longScript } from "../../../../../../tools/build/lua-script.ts";
import { originOf } from "../../../../src/stores/redis/script/encode-call.ts";
import { SCRIPT } from "../../../../src/stores/redis/script/source.generated.ts";
import { RawConnection } from "../servers/raw-connection.ts";
import { type Reply, textOf } from "../servers/resp.ts";
import type { Flaw } from "./flaw.ts";

/** A real server that runs the shipped script, or one with a flaw, at the times of a simulation. */
export class SimServer {
  readonly #connection: RawConnection;
  readonly #sha: string;
  /** How many commands arrived. */
  order = 0;

  private constructor(connection: RawConnection, sha: string) {
    // Commands wait for those that follow, until a reply is needed.
    connection.socket.cork();
    this.#connection = connection;
    this.#sha = sha;
  }

  static async connect(port: number, flaw?: Flaw): Promise<SimServer> {
    const connection = await RawConnection.open(port);
    await connection.call("FLUSHALL");
    const sha = await connection.call("SCRIPT", "LOAD", flawed(flaw?.script));
    return new SimServer(connection, String(textOf(sha)));
  }

  /** Runs a command at a moment. A script call that names none is told the moment after the cancel flag. */
  async run(command: readonly string[], atUs: number): Promise<Reply> {
    if (command[0] !== "EVALSHA") return textOf(await this.#connection.call(...command));
    const [, , keys = "", ...rest] = command;
    const call = rest.toSpliced(Number(keys) + 1, 0, `@${atUs} ${originOf(atUs)}`);
    return textOf(await this.#connection.call("EVALSHA", this.#sha, keys, ...call));
  }

  /** The server loses these rows. What is sent later finds none. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#send("DEL", key);
  }

  /** What a replica has that gets no later writes. */
  replicate(keys: readonly string[]): void {
    for (const key of keys) this.#send("COPY", key, `replica ${key}`, "REPLACE");
  }

  /** The replica becomes the primary: later writes are lost. */
  failOver(keys: readonly string[]): void {
    this.forget(keys);
    for (const key of keys) this.#send("COPY", `replica ${key}`, key, "REPLACE");
  }

  /** Sends the commands that wait. */
  flush(): void {
    this.#connection.socket.uncork();
    this.#connection.socket.cork();
  }

  async close(): Promise<void> {
    const last = this.#connection.call("PING");
    this.flush();
    await last;
    this.#connection.close();
  }

  #send(...command: readonly string[]): void {
    void this.#connection.call(...command);
  }
}

/** The script with a bug, under its long names. */
function flawed(bug: readonly [from: string, to: string] | undefined): string {
  if (bug === undefined) return SCRIPT;
  const [from, to] = bug;
  const script = longScript();
  if (!script.includes(from)) throw new Error(`expected a script with ${from}`);
  return script.replaceAll(from, to);
}
