import { optionError } from "../../../core/check-options.ts";
import { type Clock, readUs, systemClock } from "../../../core/clock.ts";
import { TollgateError } from "../../../core/errors.ts";
import type { KeptReservation } from "../../../core/kept-reservation.ts";
import { countsPlaces } from "../../../core/limits/places.ts";
import { createPlan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { KeptCall, ReservationKeeper } from "../../../core/store.ts";
import { BYPASSED } from "../../remote/unavailable-error.ts";
import type { AskOptions, KeyCall } from "../batch/key-call.ts";
import { SlotDigits, slotOf } from "../cluster-slots.ts";
import type { CheckedRedisOptions } from "../redis-options.ts";
import { RedisSpace, type StoreOperations } from "../redis-space.ts";
import { isNamedByMoment } from "../script/algorithms.ts";
import type { ScriptVerb } from "../script/transaction.ts";
import { throwStoreError } from "../translate-error.ts";
import { type KeptLimit, KeptPart, type KeptRow, type PartChange, receiptWords, type Words } from "./kept-part.ts";
import { type ReceiptServer, RedisReservation } from "./redis-reservation.ts";

/** The operations of the store that receipts are delegated to. */
export interface ReceiptOperations extends StoreOperations {
  readonly bypass: boolean;
  readonly clock: Clock;
  /** Asks the server. No failure policy applies. */
  answer(verb: ScriptVerb, keys: readonly KeyCall[], nowUs: number, options?: AskOptions): Promise<Report>;
}

type ReceiptOptions = Pick<CheckedRedisOptions, "prefix" | "byLimitersClock">;

/** A store that keeps reservations passes it, so that bundles of others are smaller. */
export type KeeperOf = (store: ReceiptOperations, options: ReceiptOptions, isCluster: boolean) => ReservationKeeper;

/** 128 random bits in base64url, and the digits by which the server finds them. */
const ID = /^[\w-]{22}[0-7]{6}$/;
const RANDOM_BYTES = 16;
const ANY_DIGITS = "000000";
/** No receipt has this revision: the server tells which one it has. */
const NO_CHANGE: PartChange = { revision: -1, ttlUs: 0, words: undefined, given: [], verb: "charge", calls: [] };
/** Begins the text of a plan whose windows are known for a time. */
const KNOWN = /^ ~\S+ \S+/;
/** More than the moment of any take. */
const NOT_KNOWN = Number.MAX_SAFE_INTEGER;

/** The rows of a call that are in one slot, and where their limits begin among all. */
interface Part {
  readonly slot: number;
  readonly rows: KeptRow[];
  /** Indexes of the calls, and of their limits. */
  readonly calls: number[];
  readonly limits: number[];
  /** When the windows by the calendar are no longer known. */
  knownUntilUs: number;
}

/** Keeps the receipts of reservations in keys of their own, each in the slot of its rows. */
export class RedisReceipts implements ReservationKeeper, ReceiptServer {
  readonly #store: ReceiptOperations;
  readonly #head: string;
  /** A space without limits. */
  readonly #space: RedisSpace;
  readonly #isCluster: boolean;
  /** Made for the first reservation in a cluster. */
  #digits: SlotDigits | undefined = undefined;

  constructor(store: ReceiptOperations, options: ReceiptOptions, isCluster: boolean) {
    const parts = { store, plan: createPlan("", "", []), limiter: "", context: { clock: systemClock }, ...options };
    this.#store = store;
    this.#head = `${options.prefix}:reservation:`;
    this.#space = new RedisSpace({ ...parts, fallback: "deny" });
    this.#isCluster = isCluster;
  }

  async keep(call: KeptCall): Promise<string> {
    const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
    const random = btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
    const parts = this.#partsOf(call);
    const ids = parts.map(({ slot }) => random + this.#digitsTo(slot, random));
    await Promise.all(
      parts.map((part, i) => {
        const words = wordsOf(part, call, i === 0 ? ids.slice(1) : []);
        return this.#ask(ids[i]!, part.rows, { ...NO_CHANGE, revision: 0, ttlUs: call.ttlUs, words });
      }),
    );
    return ids[0]!;
  }

  open(id: string): KeptReservation {
    if (typeof id !== "string") throw optionError("reservation", "the id of a reservation", id);
    return new RedisReservation(id, this);
  }

  async read(id: string): Promise<KeptPart | undefined> {
    if (!ID.test(id)) return undefined;
    const { receipt } = await this.#ask(id, [], NO_CHANGE);
    return receipt === undefined || receipt === "" ? undefined : new KeptPart(id, receipt);
  }

  async change(part: KeptPart, change: PartChange): Promise<boolean | KeptPart | "over"> {
    const { receipt, admitted } = await this.#ask(part.id, part.rows, change);
    if (receipt === undefined) return admitted;
    return receipt === "" ? "over" : new KeptPart(part.id, receipt);
  }

  /** A rejected batch is sorted by the keys that are written, so that of the receipt is one of them. */
  #ask(id: string, rows: readonly KeptRow[], change: PartChange): Promise<Report> {
    const name = `${this.#head}{${id}}`;
    const keys = rows.map(([row, , countsName]) => ({ ...this.#space.callByName(row), countsName }));
    const asked = [...keys, this.#space.callByName(name)];
    if (this.#store.bypass) return Promise.reject(BYPASSED).catch(throwStoreError);
    const options = { receipt: { ...change, name } };
    return this.#store.answer("receipt", asked, readUs(this.#store.clock), options).catch(throwStoreError);
  }

  /** The rows of a call by slot, the first key's slot first. Without rows, one part in any slot. */
  #partsOf({ calls, units }: KeptCall): Part[] {
    const parts: Part[] = [];
    let at = 0;
    for (const [i, { space, key }] of calls.entries()) {
      const { name, countsName, plan } = (space as RedisSpace).call(key, []);
      const slot = this.#isCluster ? slotOf(name) : 0;
      const known = parts.find((one) => one.slot === slot);
      const part = known ?? { slot, rows: [], calls: [], limits: [], knownUntilUs: NOT_KNOWN };
      if (known === undefined) parts.push(part);
      const limits = plan.plan.limits.map((limit, own): KeptLimit => {
        const { unit, isPlain } = units[at + own]!;
        const kind = countsPlaces(limit) ? "place" : isNamedByMoment(limit) ? "window" : "bucket";
        return [unit, isPlain, kind, plan.ringCells[own]!];
      });
      part.knownUntilUs = Math.min(part.knownUntilUs, plan.known?.[1] ?? NOT_KNOWN);
      part.rows.push([name, plan.text.replace(KNOWN, ""), countsName, limits]);
      part.calls.push(i);
      part.limits.push(...limits.map((_, own) => at + own));
      at += limits.length;
    }
    return parts.length === 0 ? [{ slot: 0, rows: [], calls: [], limits: [], knownUntilUs: NOT_KNOWN }] : parts;
  }

  #digitsTo(slot: number, text: string): string {
    if (!this.#isCluster) return ANY_DIGITS;
    this.#digits ??= new SlotDigits();
    return this.#digits.to(slot, text);
  }
}

/** @throws TollgateError `ERR_DURATION` if windows by the calendar are not known for so long. */
function wordsOf({ rows, calls, limits, knownUntilUs }: Part, call: KeptCall, others: readonly string[]): Words {
  const kinds = rows.flatMap(([, , , own]) => own.map(([, , kind]) => kind));
  const takes = call.receipts.map(({ taken, left }) => ({
    moments: calls.map((at) => Math.min(taken[at]!.resets, NOT_KNOWN)),
    left: limits.map((at) => left[at]!),
    untilUs: calls.flatMap((at) => taken[at]!.untilUs),
  }));
  // The server's time, as far as it is known.
  const sinceUs = Math.max(...takes.flatMap(({ moments }) => moments));
  if (sinceUs + call.ttlUs > knownUntilUs) throw calendarError(call.ttlUs);
  const places = kinds.map((_, i) => takes.reduce((sum, { left }) => sum + left[i]!, 0));
  const counted = kinds.map((kind, i) => (kind === "place" ? places[i]! : call.counted[limits[i]!]!));
  const head = { others, refusesOthers: call.refusesOthers, endsOnTime: knownUntilUs < NOT_KNOWN, rows };
  return receiptWords(call.ttlUs, call.nowUs, head, counted, takes);
}

function calendarError(ttlUs: number): TollgateError {
  const expected = "at most the length of a window by the calendar, beside one";
  return new TollgateError("ERR_DURATION", `keep: expected ${expected}, got ${ttlUs / 1_000} ms`);
}
