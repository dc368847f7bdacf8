/** `*` in a pattern: any one segment. */
export const ONE_SEGMENT = 1;
/** `**` in a pattern: any number of segments. */
export const MANY_SEGMENTS = 2;
/** A text, or a wildcard. */
export type PatternSegment = string | typeof ONE_SEGMENT | typeof MANY_SEGMENTS;

/** The segments of a path as a server may read it. */
export type PathReading = readonly string[];

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
 * it looks at the nodes that can be reached, each once, so the time is at most linear in the segments.
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

  /** The values of all patterns that match one of the readings of a path. */
  find(readings: readonly PathReading[], out: Value[]): void {
    for (const segments of readings) this.#findOne(segments, out);
  }

  #findOne(segments: PathReading, out: Value[]): void {
    let reached: PathNode<Value>[] = [];
    this.#step += 1;
    this.#reach(this.#root, reached);
    for (const segment of segments) {
      if (reached.length === 0) return;
      const next: PathNode<Value>[] = [];
      this.#step += 1;
      for (const node of reached) {
        if (node.repeats) this.#reach(node, next);
        this.#reach(node.literals?.get(segment), next);
        this.#reach(node.any, next);
      }
      reached = next;
    }
    for (const { value } of reached) if (value !== undefined && !out.includes(value)) out.push(value);
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
