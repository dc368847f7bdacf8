import { TollgateError } from "../../core/errors.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { ClusterSpace } from "../cluster/cluster-space.ts";
import type { Failure, Operation, Result } from "../cluster/messages.ts";
import { CIRCUIT_OPEN, OVERLOADED, UnavailableError } from "../remote/unavailable-error.ts";
import { withTimeout } from "../remote/with-timeout.ts";
import { Circuits } from "./circuits.ts";
import { type ObjectAnswer, type ObjectRequest, VERSION } from "./messages.ts";
import type { LimitsObjectNamespace } from "./object-types.ts";

/** A call for one object. */
export interface ObjectCall {
  readonly spaces: readonly ClusterSpace[];
  readonly operation: Operation;
}

/** What an object answered to one call, and the moment of its decision. */
export interface ObjectResult {
  readonly result: Result;
  readonly nowUs: number;
}

interface Asked {
  readonly call: ObjectCall;
  readonly resolve: (result: ObjectResult) => void;
  readonly reject: (error: unknown) => void;
}

interface LinkOptions {
  readonly namespace: LimitsObjectNamespace;
  readonly timeoutMs: number;
  readonly notify: (observation: StoreObservation) => void;
}

interface Stub {
  decideLimits(request: ObjectRequest): Promise<ObjectAnswer>;
}

const OTHER_VERSION = new UnavailableError("the object has another version of tollgate");
/** The most calls in one message. */
const MOST_CALLS = 1_024;

/**
 * The way to the objects. The calls of one turn for one object are one message. Microtasks end the turn: with them, all
 * calls of a message belong to one request of the Worker. The platform would end them with another request's.
 */
export class ObjectLink {
  readonly circuits: Circuits;
  readonly #options: LinkOptions;
  /** The calls of this turn, by the names of objects. */
  readonly #turn = new Map<string, Asked[]>();
  #client: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.circuits = new Circuits(options.notify);
  }

  /** @throws UnavailableError if the object does not answer in time. */
  ask(name: string, call: ObjectCall): Promise<ObjectResult> {
    return new Promise((resolve, reject) => {
      if (this.#turn.size === 0) queueMicrotask(() => queueMicrotask(() => this.#flush()));
      const asked = this.#turn.get(name) ?? [];
      this.#turn.set(name, asked);
      asked.push({ call, resolve, reject });
    });
  }

  #flush(): void {
    const turn = [...this.#turn];
    this.#turn.clear();
    for (const [name, asked] of turn) {
      for (let at = 0; at < asked.length; at += MOST_CALLS) void this.#send(name, asked.slice(at, at + MOST_CALLS));
    }
  }

  async #send(name: string, asked: readonly Asked[]): Promise<void> {
    try {
      if (!this.circuits.admits(name)) throw CIRCUIT_OPEN;
      const answer = await this.#request(name, asked);
      if (answer.outcome !== "done") throw OTHER_VERSION;
      this.circuits.succeeded(name);
      for (const [i, { call, resolve, reject }] of asked.entries()) {
        const result = answer.results[i]!;
        if (isFailure(result)) reject(toError(result, call.operation));
        else resolve({ result, nowUs: answer.nowUs });
      }
      const spaces = answer.moves.length > 0 ? asked.flatMap(({ call }) => call.spaces) : [];
      for (const [number, ...move] of answer.moves) spaces.find((space) => space.number === number)?.moved(...move);
    } catch (error) {
      const unavailable = toUnavailable(error);
      if (unavailable !== CIRCUIT_OPEN) this.circuits.failed(name, unavailable.reason);
      for (const { reject } of asked) reject(unavailable);
    }
  }

  #request(name: string, asked: readonly Asked[]): Promise<ObjectAnswer> {
    const { namespace, timeoutMs } = this.#options;
    // A random number before the first request is refused by the platform.
    this.#client ??= `${Math.random()}`;
    const spaces = new Set(asked.flatMap(({ call }) => call.spaces));
    // A stub belongs to one request of the Worker.
    const stub = namespace.get(namespace.idFromName(name)) as Stub;
    const answer = stub.decideLimits({
      version: VERSION,
      client: this.#client,
      plans: [...spaces].map(({ number, text }) => [number, text]),
      operations: asked.map(({ call }) => call.operation),
    });
    return withTimeout(timeoutMs, answer);
  }
}

function isFailure(result: Result): result is Failure {
  return typeof result === "object" && result !== null && "error" in result;
}

/** The error of a call. Where the object's database failed, the failure policy decides. */
function toError({ error: [code, message] }: Failure, [what]: Operation): Error {
  if (code === "ERR_STORE" && what === "apply") return new UnavailableError("the object failed", "command");
  return new TollgateError(code, message);
}

function toUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  // Otherwise a flood on one object would admit itself.
  if ((error as { readonly overloaded?: unknown } | null)?.overloaded === true) return OVERLOADED;
  return new UnavailableError("the object failed", "server", error);
}
