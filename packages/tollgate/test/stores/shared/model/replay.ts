import type { ExploredMemory } from "./explored-memory.ts";
import type { Call, Caller } from "./model-call.ts";
import { BEGIN, type Operation, type Value } from "./operation.ts";
import { type Point, pathTo } from "./point.ts";
import type { SharedWords } from "./shared-words.ts";

export type MayGoOn = (operation: Operation) => boolean;

/** Where a turn ended, and the state of the memory there. */
interface TurnEnd {
  readonly point: Point;
  readonly mark: number;
}

/**
 * One run of a thread's program from its beginning. First the thread gets the values that it found before, without
 * accessing memory. From there on its steps are performed, until its turn is over.
 *
 * Then it goes on as if it kept the turn, until the program ends, and the memory is restored. Many later turns begin
 * with these steps and need no run for them.
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
  #turnEnd: TurnEnd | undefined;

  constructor(memory: ExploredMemory, sharedWords: SharedWords, thread: number, from: Point, mayGoOn: MayGoOn) {
    this.#memory = memory;
    this.#sharedWords = sharedWords;
    this.#thread = thread;
    this.#past = pathTo(from);
    this.#mayGoOn = mayGoOn;
    this.#point = from;
  }

  /** Runs the program. Returns the points at the end of the turn and at the end of the program. */
  run(caller: Pick<Caller, "play">, program: readonly Call[]): { readonly turnEnd: Point; readonly programEnd: Point } {
    for (const call of program) {
      this.step(BEGIN);
      const outcome = caller.play(call);
      if (this.#isLive) this.#point.outcomes = [...this.#point.outcomes, outcome];
    }
    this.#point.operation = undefined;
    const programEnd = this.#point;
    if (this.#turnEnd === undefined) return { turnEnd: programEnd, programEnd };
    this.#memory.undo(this.#turnEnd.mark);
    return { turnEnd: this.#turnEnd.point, programEnd };
  }

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
    const point = this.#point;
    point.operation = operation;
    if (this.#turnEnd === undefined) {
      if (this.#mayGoOn(operation)) this.#sharedWords.note(operation, this.#thread);
      else this.#turnEnd = { point, mark: this.#memory.mark };
    }
    const found = this.#memory.perform(operation);
    this.#point = point.goOn(found);
    return found;
  }
}
