import type { ExploredMemory } from "./explored-memory.ts";
import type { Call, Caller } from "./model-call.ts";
import { BEGIN, type Operation, type Value } from "./operation.ts";
import { type Point, pathTo } from "./point.ts";
import type { SharedWords } from "./shared-words.ts";

/** Thrown through the library, which catches nothing on the way, when a thread's turn is over. */
class TurnIsOver extends Error {}
const TURN_IS_OVER = new TurnIsOver();

export type MayGoOn = (operation: Operation) => boolean;

/**
 * One run of a thread's program from its beginning. First the thread gets the values that it found before, without
 * accessing memory. From there on its steps are performed, until its turn is over.
 */
export class Replay {
  readonly #memory: ExploredMemory;
  readonly #sharedWords: SharedWords;
  readonly #thread: number;
  readonly #past: readonly Point[];
  readonly #mayGoOn: MayGoOn;
  /** How much of the past has been replayed. */
  #replayed = 0;
  #point: Point;

  constructor(memory: ExploredMemory, sharedWords: SharedWords, thread: number, from: Point, mayGoOn: MayGoOn) {
    this.#memory = memory;
    this.#sharedWords = sharedWords;
    this.#thread = thread;
    this.#past = pathTo(from);
    this.#mayGoOn = mayGoOn;
    this.#point = from;
  }

  /** Runs the program, and returns the point that it has reached. */
  run(caller: Pick<Caller, "play">, program: readonly Call[]): Point {
    try {
      for (const call of program) {
        this.step(BEGIN);
        const outcome = caller.play(call);
        if (this.#isLive) this.#point.outcomes = [...this.#point.outcomes, outcome];
      }
      this.#point.operation = undefined;
    } catch (error) {
      if (error !== TURN_IS_OVER) throw error;
    }
    return this.#point;
  }

  /** @throws TurnIsOver */
  step(operation: Operation): Value {
    if (this.#sharedWords.isConstant(operation) && operation !== BEGIN) {
      if (this.#memory.changesNothing(operation)) return this.#memory.perform(operation);
      this.#sharedWords.noteChange(operation);
    }
    return this.#isLive ? this.#live(operation) : this.#again(operation);
  }

  get #isLive(): boolean {
    return this.#replayed === this.#past.length - 1;
  }

  #again(operation: Operation): Value {
    const before = this.#past[this.#replayed]!.operation;
    if (before?.kind !== operation.kind || before.word !== operation.word) {
      throw new Error(`thread ${this.#thread}: expected the same step as before, got ${operation.kind}`);
    }
    this.#replayed += 1;
    return this.#past[this.#replayed]!.found;
  }

  #live(operation: Operation): Value {
    this.#point.operation = operation;
    if (!this.#mayGoOn(operation)) throw TURN_IS_OVER;
    this.#sharedWords.note(operation, this.#thread);
    const found = this.#memory.perform(operation);
    this.#point = this.#point.goOn(found);
    return found;
  }
}
