import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { SLOTS_PER_SET, Slots } from "./table-slots.ts";

/** A plan that has keys in the table. */
export interface Owner {
  /** How many. */
  size: number;
  /**
   * Whether the key in one of its slots is as good as new, not after the moment of the call that asks, which may be a call for
   * this very plan.
   */
  isSlotIdle(slot: number, asker: "itself" | "another", callTime: TimeCell): boolean;
  /** Whether nothing is left that anybody would miss. */
  isDone(): boolean;
  /** Hears that the table does not know it any more. */
  letGo(): void;
}

/** Owners are numbered in 16 bits. */
const MOST_OWNERS = 2 ** 16;
/** From here on, plans that have not been used for long are let go. */
const MANY_OWNERS = 64;
/** Owners are looked through at the latest when so many more have come: a new one pays for a few looks. */
const NEW_OWNERS_PER_LOOK = MOST_OWNERS / 16;
/** So many slots are looked at in a step. */
const SLOTS_PER_STEP = 64;
/** And so many plans, each of which may have 256 overflow buckets. */
const OWNERS_PER_STEP = 2;

/** The keys of all plans of one width. */
export class SlotTable {
  readonly slots: Slots;
  readonly capacity: Capacity;
  readonly #owners: (Owner | undefined)[] = [];
  /** Numbers that are free again. */
  readonly #unowned: number[] = [];
  /** Owners for whom no number was left. */
  readonly #surplus = new Set<Owner>();
  /** For a look that belongs to no call. */
  readonly #whenever = createTimeCell(Number.POSITIVE_INFINITY);
  #crowdedAt = MANY_OWNERS;
  #cursor = 0;
  #ownerCursor = 0;

  /** For 0 keys it has no slots: no key of its plans finds room. */
  constructor(width: number, room: Capacity, maxKeys: number = room.maxKeys) {
    this.slots = new Slots(maxKeys, width);
    this.capacity = room;
  }

  get isCrowded(): boolean {
    return this.#owners.length > MANY_OWNERS;
  }

  /** Gives an owner its number; -1 when all are taken, then it gets no room. */
  adopt(owner: Owner): number {
    if (this.#ownersLeft >= this.#crowdedAt) this.#letGoOfThoseDone();
    const number = this.#unowned.pop() ?? this.#owners.length;
    if (number >= MOST_OWNERS || this.slots.count === 0) {
      this.#surplus.add(owner);
      return -1;
    }
    this.#owners[number] = owner;
    return number;
  }

  /**
   * A free slot for a key, or one made free: of a key that is as good as new at the time of the call, or by moving a key to its
   * other set. -1 if every key that is in the way is in use.
   */
  makeRoom(low: number, high: number, caller: Owner, callTime: TimeCell): number {
    const first = this.slots.firstSet(low);
    const second = this.slots.secondSet(low, high);
    let room = this.#roomIn(first, caller, callTime);
    if (room < 0) room = this.#roomIn(second, caller, callTime);
    if (room < 0) room = this.#roomByMoving(first, caller, callTime);
    return room < 0 ? this.#roomByMoving(second, caller, callTime) : room;
  }

  /** Forgets the key in a slot. */
  drop(slot: number, owner: Owner): void {
    this.slots.free(slot);
    owner.size -= 1;
    this.capacity.size -= 1;
  }

  /** While there are many owners, looks at a few slots, so that those are done sometime that nobody uses. */
  step(): void {
    if (!this.isCrowded) return;
    for (let i = 0; i < SLOTS_PER_STEP; i += 1) {
      this.#cursor = (this.#cursor + 1) % this.slots.count;
      const slot = this.slots.nth(this.#cursor);
      if (this.slots.isFree(slot)) continue;
      const owner = this.#ownerOf(slot);
      if (owner.isSlotIdle(slot, "another", this.#whenever)) this.drop(slot, owner);
    }
  }

  /** Lets go of a few plans that are done, if there are some: where bytes are short. */
  letGoOfSome(): void {
    for (let i = 0; i < OWNERS_PER_STEP && this.#owners.length > 0; i += 1) {
      this.#ownerCursor = (this.#ownerCursor + 1) % this.#owners.length;
      this.#letGoIfDone(this.#ownerCursor);
    }
    let left = OWNERS_PER_STEP;
    for (const owner of this.#surplus) {
      this.#surplus.delete(owner);
      if (owner.isDone()) owner.letGo();
      // Comes last from now on.
      else this.#surplus.add(owner);
      left -= 1;
      if (left === 0) break;
    }
  }

  #roomIn(set: number, caller: Owner, callTime: TimeCell): number {
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      const slot = this.slots.slot(set, way);
      if (this.slots.isFree(slot)) return slot;
      const owner = this.#ownerOf(slot);
      if (!owner.isSlotIdle(slot, owner === caller ? "itself" : "another", callTime)) continue;
      this.drop(slot, owner);
      return slot;
    }
    return -1;
  }

  #roomByMoving(set: number, caller: Owner, callTime: TimeCell): number {
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      const slot = this.slots.slot(set, way);
      const to = this.#roomIn(this.slots.otherSet(slot), caller, callTime);
      if (to < 0) continue;
      this.slots.move(slot, to);
      return slot;
    }
    return -1;
  }

  #letGoOfThoseDone(): void {
    for (let number = 0; number < this.#owners.length; number += 1) this.#letGoIfDone(number);
    for (const owner of this.#surplus) {
      if (!owner.isDone()) continue;
      this.#surplus.delete(owner);
      owner.letGo();
    }
    const left = this.#ownersLeft;
    this.#crowdedAt = Math.max(MANY_OWNERS, left + Math.min(left, NEW_OWNERS_PER_LOOK));
  }

  #letGoIfDone(number: number): void {
    const owner = this.#owners[number];
    if (!owner?.isDone()) return;
    this.#owners[number] = undefined;
    this.#unowned.push(number);
    owner.letGo();
  }

  get #ownersLeft(): number {
    return this.#owners.length - this.#unowned.length + this.#surplus.size;
  }

  #ownerOf(slot: number): Owner {
    return this.#owners[this.slots.ownerOf(slot)]!;
  }
}
