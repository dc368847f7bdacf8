import { BEGIN, type Operation, type Value } from "./operation.ts";

/** No call of these tests takes nearly as many steps. */
const MOST_STEPS = 10_000;

/**
 * Where a thread is in its program. That follows from what its steps have found so far, so a point is known by the path to it from the
 * root, and a thread that once has come this way need not be run to learn what it does next.
 */
export class Point {
  readonly id: number;
  readonly parent: Point | undefined;
  /** What the parent's step found. */
  readonly found: Value;
  /** The step that comes next; `undefined` where the program has ended. */
  operation: Operation | undefined;
  /** What came of the calls that have returned. */
  outcomes: readonly string[];
  /** Where another call has come from another past, and the thread remembers nothing of either: the one point for both. */
  same: Point | undefined;
  /** Steps since the latest call began. */
  readonly steps: number;
  readonly #next = new Map<Value, Point>();
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

  /** Before a call that is made without knowing what the thread found before. */
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

  /** Where the thread is when its step has found something; `undefined` if it has never been there. */
  after(found: Value): Point | undefined {
    return this.#next.get(found);
  }

  /** As `after`, for the first time. */
  goOn(found: Value): Point {
    const next = new Point(this, found, this.#count);
    this.#next.set(found, next);
    return next;
  }
}

/** All points from the root to this one. */
export function pathTo(end: Point): Point[] {
  const path: Point[] = [];
  for (let point: Point | undefined = end; point !== undefined; point = point.parent) path.push(point);
  return path.toReversed();
}
