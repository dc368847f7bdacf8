import { preciseMs } from "../../core/clock.ts";
import type { TollgateError } from "../../core/errors.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { Breaker } from "../remote/breaker.ts";
import { type AwaitedCall, Deadline, type Lane } from "../remote/deadline.ts";
import {
  CIRCUIT_OPEN,
  CONNECTION_LOST,
  causeOf,
  NOT_SENT,
  OVERLOADED,
  TIMED_OUT,
  UnavailableError,
} from "../remote/unavailable-error.ts";
import { withTimeout } from "../remote/with-timeout.ts";
import { CancelFlag, RUN } from "./clients/cancel-flag.ts";
import type { RedisPort, ScriptCall, ScriptReply } from "./clients/redis-port.ts";
import type { CheckedRedisOptions } from "./redis-options.ts";
import { meaningOf, throwStoreError } from "./translate-error.ts";

/** A call that is queued for so many timeouts is denied as overload, even if the server answers other calls. */
const MOST_TIMEOUTS = 10;

type LinkOptions = Pick<CheckedRedisOptions, "prefix" | "timeoutMs" | "connectTimeoutMs">;

/** The failure of a script call. */
export type CallFailure = UnavailableError | TollgateError;

/** A script call on its way. */
export interface SentCall extends ScriptCall, AwaitedCall {
  readonly cancelFlag: CancelFlag;
  /** When it was sent, in the time of `preciseMs`. */
  sentAtMs: number;
  /** Called once, with the reply or the failure. */
  ended(outcome: ScriptReply | CallFailure): void;
}

/** The way to the server: a deadline for each call, and a circuit that opens while the server is unavailable. */
export class ServerLink {
  readonly deadline: Deadline<SentCall>;
  readonly circuit: Breaker;
  readonly #port: RedisPort;
  readonly #timeoutMs: number;
  readonly #stopListening: () => void;
  readonly #throwMeaning = (error: unknown): never => {
    throw meaningOf(error, this.#port);
  };
  /** The key of a probe. In a cluster it leads to the node that failed last. */
  #probeKey: string;

  constructor(port: RedisPort, options: LinkOptions, notify: (observation: StoreObservation) => void) {
    const { prefix, timeoutMs, connectTimeoutMs } = options;
    this.#port = port;
    this.#timeoutMs = timeoutMs;
    this.#probeKey = `${prefix}:probe`;
    const isConnected = () => port.connected;
    const giveUp = (call: SentCall) => this.#end(call, TIMED_OUT);
    this.deadline = new Deadline({ timeoutMs, connectTimeoutMs, isConnected, giveUp });
    this.circuit = new Breaker({
      probe: () => this.#probe(),
      down: (cause) => notify({ type: "down", cause }),
      up: (downForMs) => notify({ type: "up", downForMs }),
      probeFailed: (error) => notify({ type: "probe", cause: causeOf(error) }),
    });
    this.#stopListening = port.onLost(() => this.deadline.cancelAll());
  }

  /** Why a call that was made at `sinceMs` is not sent; `undefined` if it is. */
  refusal(lane: Lane, sinceMs: number, nowMs: number): UnavailableError | undefined {
    if (this.circuit.state !== "closed") return CIRCUIT_OPEN;
    if (nowMs - sinceMs < this.#timeoutMs || this.deadline.isPatient) return undefined;
    if (nowMs - this.deadline.quietSince(lane, sinceMs) >= this.#timeoutMs) return NOT_SENT;
    return nowMs - sinceMs >= MOST_TIMEOUTS * this.#timeoutMs ? OVERLOADED : undefined;
  }

  /** Sends a call of the script once. */
  send(call: SentCall): void {
    call.sentAtMs = preciseMs();
    this.deadline.expect(call);
    this.#port.run(call).then(
      (reply) => this.#end(call, reply),
      (error: unknown) => this.#end(call, meaningOf(error, this.#port)),
    );
  }

  /** Runs an administrative call. No failure policy applies. @throws TollgateError. */
  async administer<T>(call: () => Promise<T>): Promise<T> {
    if (!this.circuit.isClosed) return throwStoreError(CIRCUIT_OPEN);
    const sentAtMs = preciseMs();
    try {
      const answer = await withTimeout(this.deadline.leftMs, call().catch(this.#throwMeaning));
      this.circuit.succeeded();
      return answer;
    } catch (error) {
      if (isDown(error)) this.circuit.failed(sentAtMs, error.reason);
      return throwStoreError(error);
    }
  }

  /** Stops the probes, and the listeners for lost connections. */
  close(): void {
    this.#stopListening();
    this.circuit.close();
  }

  /** Runs the script with a cancelled call. Rejects while the server is unavailable. */
  async #probe(): Promise<void> {
    const cancelFlag = new CancelFlag(RUN);
    cancelFlag.cancel();
    const answer = this.#port.run({ keys: [this.#probeKey], args: [], cancelFlag });
    await withTimeout(this.#timeoutMs, answer.catch(this.#throwMeaning));
  }

  /** Ends a call, once. An error of the server is a reply, too; an error of the client is not. */
  #end(call: SentCall, outcome: ScriptReply | CallFailure): void {
    if (!this.deadline.forget(call)) return;
    const isReply = !(outcome instanceof Error && isDown(outcome));
    if (isReply) this.deadline.noteReply(call.lane);
    // The script replies nothing to a cancelled call.
    const ended = isReply && !(outcome instanceof Error) && outcome.length === 0 ? CONNECTION_LOST : outcome;
    if (ended instanceof Error && isDown(ended)) {
      this.#probeKey = call.keys[0]!;
      this.circuit.failed(call.sentAtMs, ended.reason);
    } else this.circuit.succeeded();
    call.ended(ended);
  }
}

/** Whether a call failed because the server is unavailable. */
function isDown(outcome: unknown): outcome is UnavailableError {
  return outcome instanceof UnavailableError && outcome.kind === "server";
}
