import type { TollgateError } from "../../core/errors.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { CancelFlag, RUN } from "./clients/cancel-flag.ts";
import type { RedisPort, ScriptReply } from "./clients/redis-port.ts";
import { monotonicMs } from "./event-loop.ts";
import { Breaker, type BreakerState } from "./failure/breaker.ts";
import { Deadline } from "./failure/deadline.ts";
import { meaningOf, throwStoreError, translateError } from "./failure/translate-error.ts";
import {
  CIRCUIT_OPEN,
  CONNECTION_LOST,
  causeOf,
  OVERLOADED,
  TIMED_OUT,
  UnavailableError,
} from "./failure/unavailable-error.ts";
import { withTimeout } from "./failure/with-timeout.ts";
import type { CheckedRedisOptions } from "./redis-options.ts";
import type { EncodedCall } from "./script/encode-call.ts";

/** A call that is queued for so many timeouts is denied as overload, even if the server answers other calls. */
const MOST_TIMEOUTS = 10;

type LinkOptions = Pick<CheckedRedisOptions, "prefix" | "timeoutMs" | "connectTimeoutMs">;

/** The way to the server: a deadline for each call, and a circuit that opens while the server is unavailable. */
export class ServerLink {
  readonly #port: RedisPort;
  readonly #timeoutMs: number;
  readonly #deadline: Deadline;
  readonly #circuit: Breaker;
  readonly #stopListening: () => void;
  /** The key of a probe. In a cluster it leads to the node that failed last. */
  #probeKey: string;

  constructor(port: RedisPort, options: LinkOptions, notify: (observation: StoreObservation) => void) {
    const { prefix, timeoutMs, connectTimeoutMs } = options;
    this.#port = port;
    this.#timeoutMs = timeoutMs;
    this.#probeKey = `${prefix}:probe`;
    this.#deadline = new Deadline({ timeoutMs, connectTimeoutMs, isConnected: () => port.connected });
    this.#circuit = new Breaker({
      probe: () => this.#probe(),
      down: (cause) => notify({ type: "down", cause }),
      up: (downForMs) => notify({ type: "up", downForMs }),
      probeFailed: (error) => notify({ type: "probe", cause: causeOf(error) }),
    });
    this.#stopListening = port.onLost(() => this.#deadline.cancelAll());
  }

  get state(): BreakerState {
    return this.#circuit.state;
  }

  /** Whether the circuit is closed: calls may be sent. */
  get isClosed(): boolean {
    return this.#circuit.isClosed;
  }

  /** The time of calls' deadlines: in it no time passes while the event loop is blocked. */
  get nowMs(): number {
    return this.#deadline.nowMs;
  }

  /** How long a call may take now. */
  get leftMs(): number {
    return this.#deadline.leftMs;
  }

  /** Ends when the client has connected, or the time for that is over; `undefined` if calls may be sent now. */
  get connecting(): Promise<void> | undefined {
    return this.#deadline.connecting;
  }

  /** Why a call that was made at `sinceMs` is not sent; `undefined` if it is. */
  refusal(lane: number, sinceMs: number, nowMs: number): UnavailableError | undefined {
    if (this.#circuit.state !== "closed") return CIRCUIT_OPEN;
    if (nowMs - sinceMs < this.#timeoutMs || this.#deadline.isPatient) return undefined;
    if (nowMs - this.#deadline.quietSince(lane, sinceMs) >= this.#timeoutMs) return TIMED_OUT;
    return nowMs - sinceMs >= MOST_TIMEOUTS * this.#timeoutMs ? OVERLOADED : undefined;
  }

  /**
   * Sends a call of the script once. `sinceMs` is when the oldest of its calls was made.
   *
   * @throws UnavailableError or TollgateError, as `meaningOf` says.
   */
  run({ keys, args }: EncodedCall, lane: number, sinceMs: number): Promise<ScriptReply> {
    const sentAtMs = monotonicMs();
    const cancelFlag = new CancelFlag(RUN);
    return new Promise((resolve, reject) => {
      const fail = (error: UnavailableError | TollgateError): void => {
        this.#failed(error, lane, keys[0]!, sentAtMs);
        reject(error);
      };
      const call = { lane, quietSinceMs: sinceMs, cancelFlag, isOver: false, giveUp: () => fail(TIMED_OUT) };
      this.#deadline.expect(call);
      const send = async (): Promise<void> => {
        let outcome: ScriptReply | UnavailableError | TollgateError;
        try {
          outcome = await this.#port.run({ keys, args, cancelFlag });
        } catch (error) {
          outcome = meaningOf(error);
        }
        if (call.isOver) return;
        call.isOver = true;
        if (outcome instanceof Error) return fail(outcome);
        this.#deadline.noteReply(lane);
        // The script saw a cancelled call.
        if (outcome.length === 0) return fail(CONNECTION_LOST);
        this.#circuit.succeeded();
        resolve(outcome);
      };
      void send();
    });
  }

  /** Runs an administrative call. No failure policy applies. @throws TollgateError. */
  async administer<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#circuit.isClosed) return throwStoreError(CIRCUIT_OPEN);
    const sentAtMs = monotonicMs();
    try {
      const answer = await withTimeout(this.leftMs, call().catch(translateError));
      this.#circuit.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof UnavailableError && error.kind === "server") this.#circuit.failed(sentAtMs, error.reason);
      return throwStoreError(error);
    }
  }

  /** Stops the probes, and the listeners for lost connections. */
  close(): void {
    this.#stopListening();
    this.#circuit.close();
  }

  /** Runs the script with a cancelled call. Rejects while the server is unavailable. */
  async #probe(): Promise<void> {
    const cancelFlag = new CancelFlag(RUN);
    cancelFlag.cancel();
    const answer = this.#port.run({ keys: [this.#probeKey], args: [], cancelFlag });
    await withTimeout(this.#timeoutMs, answer.catch(translateError));
  }

  #failed(error: unknown, lane: number, key: string, sentAtMs: number): void {
    if (error instanceof UnavailableError && error.kind === "server") {
      this.#probeKey = key;
      this.#circuit.failed(sentAtMs, error.reason);
      return;
    }
    // An error of the server is a reply, too; an error of the client is not.
    this.#deadline.noteReply(lane);
    this.#circuit.succeeded();
  }
}
