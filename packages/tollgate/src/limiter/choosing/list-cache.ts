/**
 * Values by list: lists of the same objects in the same order have one value. An object that nothing else refers to is
 * let go, with the values of its lists.
 */
export class ListCache<Item extends object, Value> {
  readonly #root = new Node<Item, Value>();

  get(items: readonly Item[]): Value | undefined {
    let node: Node<Item, Value> | undefined = this.#root;
    for (let i = 0; i < items.length && node !== undefined; i += 1) node = node.next?.get(items[i]!);
    return node?.value;
  }

  set(items: readonly Item[], value: Value): void {
    let node = this.#root;
    for (const item of items) {
      node.next ??= new WeakMap();
      const next = node.next.get(item) ?? new Node<Item, Value>();
      node.next.set(item, next);
      node = next;
    }
    node.value = value;
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
