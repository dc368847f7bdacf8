/** So many lists are kept: callers choose which of few objects are in theirs. */
export const MOST_LISTS = 4_096;

/**
 * Values by list: lists of the same objects in the same order have one value. An object that nothing else refers to is
 * let go, with the values of its lists. All are forgotten when there are too many.
 */
export class ListCache<Item extends object, Value> {
  readonly #most: number;
  #root = new Node<Item, Value>();
  #count = 0;

  constructor(most: number = MOST_LISTS) {
    this.#most = most;
  }

  get(items: readonly Item[]): Value | undefined {
    let node: Node<Item, Value> | undefined = this.#root;
    for (let i = 0; i < items.length && node !== undefined; i += 1) node = node.next?.get(items[i]!);
    return node?.value;
  }

  set(items: readonly Item[], value: Value): void {
    if (this.#count >= this.#most) this.clear();
    this.#count += 1;
    let node = this.#root;
    for (const item of items) {
      node.next ??= new WeakMap();
      const next = node.next.get(item) ?? new Node<Item, Value>();
      node.next.set(item, next);
      node = next;
    }
    node.value = value;
  }

  clear(): void {
    this.#root = new Node();
    this.#count = 0;
  }
}

/** A list, and those that continue it. */
class Node<Item extends object, Value> {
  value: Value | undefined = undefined;
  next: WeakMap<Item, Node<Item, Value>> | undefined = undefined;
}

/** Whether two lists have the same items. */
export function haveSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}
