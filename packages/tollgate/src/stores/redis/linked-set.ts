/** What a `LinkedSet` writes into its items. An item is in one set at most. */
export abstract class Linked<Item> {
  isLinked = false;
  before: Item | undefined;
  after: Item | undefined;
}

/**
 * A set in the order of insertion, for items that stay a short time. The sets and maps of V8 copy their table now and
 * then, and a table of the past refers to the next one. So once a table has become old, everything that was ever in
 * the set survives until a full collection. Here an item that was removed refers to nothing.
 */
export class LinkedSet<Item extends Linked<Item>> {
  size = 0;
  #first: Item | undefined;
  #last: Item | undefined;

  /** The oldest item. */
  get first(): Item | undefined {
    return this.#first;
  }

  add(item: Item): void {
    if (item.isLinked) return;
    item.isLinked = true;
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
    this.size += 1;
  }

  /** @returns whether it was there. */
  delete(item: Item): boolean {
    if (!item.isLinked) return false;
    const { before, after } = item;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    item.isLinked = false;
    item.before = undefined;
    item.after = undefined;
    this.size -= 1;
    return true;
  }

  /** All items, the oldest first. */
  toArray(): Item[] {
    const items: Item[] = [];
    for (let item = this.#first; item !== undefined; item = item.after) items.push(item);
    return items;
  }
}
