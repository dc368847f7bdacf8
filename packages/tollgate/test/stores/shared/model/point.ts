import { BEGIN, type Operation, type Value } from "./operation.ts";

/** Far more steps than any call of these tests takes. */
const MOST_STEPS = 10_000;

/**
 * A thread's position in its program. It depends only on what the thread's steps have found so far, so the path from
 * the root identifies a point. A thread that reaches a known point need not run for its next step.
 */
export class Point {
  readonly id: number;
  readonly parent: Point | undefined;
  /** The value that the parent's step found. */
  readonly found: Value;
  /** The next step; `undefined` at the end of the program. */
  operation: Operation | undefined;
  /** The outcomes of the calls that have returned. */
  outcomes: readonly string[];
  /** The common point of several pasts of which the thread remembers nothing. */
  same: Point | undefined;
  /** Steps since the latest call began. */
  readonly steps: number;
  /** Nearly all steps only ever find one value, so only the others have a map: most of the time went to these maps. */
  #next: Point | undefined;
  #others: Map<Value, Point> | undefined;
  readonly #count: { points: number };

  private constructor(parent: Point | undefined, found: Value, count: { points: number }) {
    this.parent = parent;
    this.found = found;
    this.outcomes = parent?.outcomes ?? [];
    this.steps = parent === undefined || parent.operation === BEGIN ? 0 : parent.steps + 1;
    this.#count = count;
    this.id = count.points;
    count.points += 1;
    if (this.steps > MOST_STEPS) throw new Error(`a call has not ended after ${MOST_STEPS} steps`);
  }

  /** The point before a call that does not depend on what the thread found before. */
  static root(count: { points: number }, outcomes: readonly string[], operation: Operation | undefined): Point {
    const root = new Point(undefined, 0, count);
    root.operation = operation;
    root.outcomes = outcomes;
    return root;
  }

  /** Whether a call has begun and not ended. */
  get isInCall(): boolean {
    return this.operation !== undefined && this.operation !== BEGIN;
  }

  /** The point after its step has found this value; `undefined` if no run has reached it yet. */
  after(found: Value): Point | undefined {
    return this.#next?.found === found ? this.#next : this.#others?.get(found);
  }

  /** Makes the point that `after` returns from then on. */
  goOn(found: Value): Point {
    const next = new Point(this, found, this.#count);
    if (this.#next === undefined) this.#next = next;
    else {
      this.#others ??= new Map();
      this.#others.set(found, next);
    }
    return next;
  }
}

/** All points from the root to this one. */
export function pathTo(end: Point): Point[] {
  const path: Point[] = [];
  for (let point: Point | undefined = end; point !== undefined; point = point.parent) path.push(point);
  return path.toReversed();
}
