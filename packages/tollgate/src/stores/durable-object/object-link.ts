import type { Report } from "../../core/report.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { Operation, OwnerAnswer, OwnerRequest, Result } from "../owned/messages.ts";
import type { OwnedSpace } from "../owned/owned-space.ts";
import type { OwnerLink } from "../owned/owned-store.ts";
import {
  Administering,
  Applying,
  answerAll,
  type DecideWithout,
  type Question,
  requestOf,
  type SpaceVerb,
} from "../owned/questions.ts";
import { partsByOwner } from "../remote/call-parts.ts";
import { CIRCUIT_OPEN, OVERLOADED, UnavailableError } from "../remote/unavailable-error.ts";
import { withTimeout } from "../remote/with-timeout.ts";
import { Circuits } from "./circuits.ts";
import type { LimitsObjectNamespace } from "./object-types.ts";
import { applyToObjects } from "./several-objects.ts";
import type { Sharding } from "./sharding.ts";

interface LinkOptions {
  readonly namespace: LimitsObjectNamespace;
  readonly sharding: Sharding;
  readonly timeoutMs: number;
  readonly notify: (observation: StoreObservation) => void;
}

interface Stub {
  decideLimits(request: OwnerRequest): Promise<OwnerAnswer>;
}

const OTHER_VERSION = new UnavailableError("the object has another version of tollgate");
/** The most calls in one message. */
const MOST_CALLS = 1_024;

/**
 * The way to the objects. The calls of one turn for one object are one message. Microtasks end the turn: with them, all
 * calls of a message belong to one request of the Worker. The platform would end them with another request's.
 */
export class ObjectLink implements OwnerLink {
  readonly #options: LinkOptions;
  readonly #circuits: Circuits;
  /** The calls of this turn, by the names of objects. */
  readonly #turn = new Map<string, Question[]>();
  #client: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#circuits = new Circuits(options.notify);
  }

  get isUp(): boolean {
    return !this.#circuits.isSomeOpen;
  }

  refusal({ calls }: SpaceVerb): UnavailableError | undefined {
    const { nameOf } = this.#options.sharding;
    return calls.some(({ key }) => this.#circuits.refuses(nameOf(key))) ? CIRCUIT_OPEN : undefined;
  }

  async apply(call: SpaceVerb, without: DecideWithout): Promise<Report> {
    const { nameOf } = this.#options.sharding;
    const parts = partsByOwner(call.calls, ({ key }) => nameOf(key));
    try {
      return await applyToObjects(call, parts, (name, part) => this.#ask(name, new Applying(part, throwIt)));
    } catch (error) {
      if (error instanceof UnavailableError) return without(error, call);
      throw error;
    }
  }

  /** Operations on all keys have none. */
  async administer(space: OwnedSpace, operation: Operation): Promise<Result> {
    const { sharding } = this.#options;
    const [what, , , key] = operation;
    const names = key === undefined ? sharding.allNames(what) : [sharding.nameOf(key)];
    const results = await Promise.all(names.map((name) => this.#ask(name, new Administering(space, operation))));
    return key === undefined ? results.reduce<number>((sum, result) => sum + (result as number), 0) : results[0]!;
  }

  async close(): Promise<void> {}

  #ask<T>(name: string, question: Question & { readonly answer: Promise<T> }): Promise<T> {
    if (this.#turn.size === 0) queueMicrotask(() => queueMicrotask(() => this.#flush()));
    const questions = this.#turn.get(name) ?? [];
    this.#turn.set(name, questions);
    questions.push(question);
    return question.answer;
  }

  #flush(): void {
    const turn = [...this.#turn];
    this.#turn.clear();
    for (const [name, questions] of turn)
      for (let at = 0; at < questions.length; at += MOST_CALLS)
        void this.#send(name, questions.slice(at, at + MOST_CALLS));
  }

  async #send(name: string, questions: readonly Question[]): Promise<void> {
    try {
      if (!this.#circuits.admits(name)) throw CIRCUIT_OPEN;
      const answer = await this.#request(name, questions);
      if (answer.outcome !== "done") throw OTHER_VERSION;
      this.#circuits.succeeded(name);
      answerAll(questions, answer);
    } catch (error) {
      const unavailable = toUnavailable(error);
      if (unavailable !== CIRCUIT_OPEN) this.#circuits.failed(name, unavailable.reason);
      for (const question of questions) question.failed(unavailable);
    }
  }

  #request(name: string, questions: readonly Question[]): Promise<OwnerAnswer> {
    const { namespace, timeoutMs } = this.#options;
    // A random number before the first request is refused by the platform.
    this.#client ??= `${Math.random()}`;
    // A stub belongs to one request of the Worker.
    const stub = namespace.get(namespace.idFromName(name)) as Stub;
    return withTimeout(timeoutMs, stub.decideLimits(requestOf(this.#client, questions, 0)));
  }
}

function throwIt(error: UnavailableError): never {
  throw error;
}

function toUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  // Otherwise a flood on one object would admit itself.
  if ((error as { readonly overloaded?: unknown } | null)?.overloaded === true) return OVERLOADED;
  return new UnavailableError("the object failed", "server", error);
}
