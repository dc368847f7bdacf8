/** `*` in a pattern: any one segment. */
export const ONE_SEGMENT = 1;
/** `**` in a pattern: any number of segments. */
export const MANY_SEGMENTS = 2;
/** A text, or a wildcard. */
export type PatternSegment = string | typeof ONE_SEGMENT | typeof MANY_SEGMENTS;

/** The segments of a path as a server may read it. */
export type PathReading = readonly string[];

/** In one search. A step looks from one node at one segment; so many take about a millisecond. */
const MOST_STEPS = 20_000;

class PathNode<Value> {
  value: Value | undefined = undefined;
  /** Whether it stands for `**`: any segment leads back to it. */
  readonly repeats: boolean;
  /** Most nodes of a large file are leaves. */
  literals: Map<string, PathNode<Value>> | undefined = undefined;
  any: PathNode<Value> | undefined = undefined;
  many: PathNode<Value> | undefined = undefined;
  /** The step at which it was reached last. */
  step = 0;

  constructor(repeats: boolean) {
    this.repeats = repeats;
  }
}

/**
 * Values by patterns of paths: a trie whose search is that of a nondeterministic automaton. For each segment of a path
 * it looks at the nodes that can be reached, each once. Files with many `**` reach many, so the steps are bounded.
 */
export class PathIndex<Value> {
  readonly #root = new PathNode<Value>(false);
  #step = 0;

  /** The value of a pattern, made if it does not exist. */
  at(pattern: readonly PatternSegment[], make: () => Value): Value {
    let node = this.#root;
    for (const segment of pattern) node = childOf(node, segment);
    node.value ??= make();
    return node.value;
  }

  /** Finds the values of all patterns that match a reading of a path. Returns whether the steps were enough. */
  find(readings: readonly PathReading[], out: Set<Value>): boolean {
    let stepsLeft = MOST_STEPS;
    for (const segments of readings) {
      stepsLeft = this.#findOne(segments, stepsLeft, out);
      if (stepsLeft < 0) return false;
    }
    return true;
  }

  /** Returns how many steps are left, below 0 if they were too few. */
  #findOne(segments: PathReading, steps: number, out: Set<Value>): number {
    let stepsLeft = steps;
    let reached: PathNode<Value>[] = [];
    this.#step += 1;
    this.#reach(this.#root, reached);
    for (const segment of segments) {
      stepsLeft -= reached.length;
      if (reached.length === 0 || stepsLeft < 0) return stepsLeft;
      const next: PathNode<Value>[] = [];
      this.#step += 1;
      for (const node of reached) {
        if (node.repeats) this.#reach(node, next);
        this.#reach(node.literals?.get(segment), next);
        this.#reach(node.any, next);
      }
      reached = next;
    }
    for (const { value } of reached) if (value !== undefined) out.add(value);
    return stepsLeft;
  }

  /** Adds a node, and the one that `**` behind it leads to without a segment. */
  #reach(node: PathNode<Value> | undefined, reached: PathNode<Value>[]): void {
    if (node === undefined || node.step === this.#step) return;
    node.step = this.#step;
    reached.push(node);
    this.#reach(node.many, reached);
  }
}

function childOf<Value>(node: PathNode<Value>, segment: PatternSegment): PathNode<Value> {
  if (segment === ONE_SEGMENT) {
    node.any ??= new PathNode(false);
    return node.any;
  }
  if (segment === MANY_SEGMENTS) {
    // `**` twice is `**` once.
    if (node.repeats) return node;
    node.many ??= new PathNode(true);
    return node.many;
  }
  node.literals ??= new Map();
  let child = node.literals.get(segment);
  if (child === undefined) {
    child = new PathNode(false);
    node.literals.set(segment, child);
  }
  return child;
}
