import { carriedOver } from "./carried-over.ts";
import type { LimitRules, LimitState } from "./limit-state.ts";
import { explain, type Model, rulesOf, type Seen, transact } from "./model.ts";
import type { ModelLimit } from "./model-limit.ts";
import { larger } from "./whole-numbers.ts";

/** A limit under a chosen name. */
export interface NamedLimit {
  readonly name: string;
  /** Equal for equal numbers and units. */
  readonly numbers: string;
  readonly limit: ModelLimit;
}

/** What a key has used under the limits of one list, which are forgotten together. */
interface Row {
  readonly limits: readonly NamedLimit[];
  readonly states: (LimitState | undefined)[];
}

/** The keys of limiters of one name: a key is counted under each limit (`isSame`) in one row at most. */
export class ChangingKeys {
  readonly rows = new Map<string, Row[]>();

  rowsOf(key: string): Row[] {
    const rows = this.rows.get(key) ?? [];
    this.rows.set(key, rows);
    return rows;
  }
}

/** One version of a limiter, with a list of limits of its own. */
export interface Version extends Model {
  /** The limits that the last call was counted against. */
  readonly counted: readonly NamedLimit[];
}

/** A limiter over keys that other versions of it count as well. */
export function createVersion(
  keys: ChangingKeys,
  own: readonly NamedLimit[],
  onChange: "carry-over" | "keep-first",
): Version {
  const rowsOf = (key: string) => keys.rowsOf(key);
  const drop = (key: string, isDropped: (row: Row) => boolean) => {
    const dropped = rowsOf(key).filter(isDropped);
    for (const row of dropped) rowsOf(key).splice(rowsOf(key).indexOf(row), 1);
  };
  const related = (key: string) => rowsOf(key).filter((row) => row.limits.some((one) => own.some(isSame(one))));
  const ownRow = (key: string) => rowsOf(key).find((row) => idOf(row.limits) === idOf(own));
  /** The rows of other versions that count. */
  const former = (key: string, nowUs: bigint) =>
    ownRow(key) === undefined ? related(key).filter((row) => !isIdle(row, nowUs)) : [];
  const targetOf = (key: string, nowUs: bigint): readonly NamedLimit[] => {
    if (onChange === "carry-over") return own;
    const known = former(key, nowUs).flatMap((row) => row.limits);
    return own.map((limit) => {
      const first = known.find(isSame(limit)) ?? limit;
      return { ...first, limit: { ...first.limit, mode: limit.limit.mode } };
    });
  };
  /** The row of a call, moved from other versions if necessary; `undefined` for a new key. */
  const lookUp = (target: readonly NamedLimit[], key: string, nowUs: bigint): Row | undefined => {
    const known = rowsOf(key).find((row) => idOf(row.limits) === idOf(target));
    if (known !== undefined) return inOrderOf(target, known);
    const from = former(key, nowUs);
    return from.length === 0 ? undefined : { limits: target, states: target.map((one) => carried(one, from, nowUs)) };
  };
  /** What the current call has found when it moved the key: the moved row may be idle. */
  let found: readonly NamedLimit[] | undefined;
  let counted = own;
  const model: Version = {
    limits: own.map(({ limit }) => limit),
    get counted() {
      return counted;
    },
    apply: (verb, key, nowUs, cost) => transact(verb, [{ model, key, cost }], nowUs),
    explain: (key, nowUs, cost) => {
      const byLastCall = counted;
      const reports = explain([{ model, key, cost }], nowUs);
      counted = byLastCall;
      return reports;
    },
    reset: (key) => {
      const rests = related(key).map((row) => restOf(row, own));
      drop(key, (row) => related(key).includes(row));
      rowsOf(key).push(...rests.filter(({ limits }) => limits.length > 0));
    },
    clear: () => {
      for (const key of keys.rows.keys()) model.reset(key);
    },
    sweep: (nowUs) => {
      for (const key of keys.rows.keys()) drop(key, (row) => isIdle(row, nowUs));
    },
    get size() {
      return [...keys.rows.keys()].filter((key) => ownRow(key) !== undefined).length;
    },
    read: (key, nowUs) => {
      counted = found ?? targetOf(key, nowUs);
      found = undefined;
      const row = lookUp(counted, key, nowUs);
      const states = row === undefined || hasExpired(row, nowUs) ? undefined : row.states;
      return counted.map(({ limit }, place): Seen => {
        const rules = rulesOf(limit, {});
        const stored = states?.[place];
        return { place, limit, rules, state: stored ?? rules.fresh(nowUs), absent: stored === undefined };
      });
    },
    forgetExpired: (key, nowUs) => {
      if (ownRow(key) === undefined) drop(key, (row) => related(key).includes(row) && isIdle(row, nowUs));
      const target = targetOf(key, nowUs);
      const known = rowsOf(key).some((row) => idOf(row.limits) === idOf(target));
      const moved = known ? undefined : lookUp(target, key, nowUs);
      if (moved !== undefined) {
        const rests = related(key).map((row) => restOf(row, target));
        drop(key, (row) => related(key).includes(row));
        rowsOf(key).push(moved, ...rests.filter((row) => row.limits.length > 0 && !isIdle(row, nowUs)));
      }
      drop(key, (row) => idOf(row.limits) === idOf(target) && hasExpired(row, nowUs));
      found = target;
    },
    write: (key, place, state) => {
      // Every call moves the key first, so one row at most has one of these names.
      const row = related(key)[0] ?? { limits: counted, states: own.map(() => undefined) };
      if (!rowsOf(key).includes(row)) rowsOf(key).push(row);
      row.states[row.limits.findIndex((limit) => own.indexOf(own.find(isSame(limit)) ?? limit) === place)] = state;
    },
  };
  return model;
}

/** Whether two limits count together: counts belong to a name, a unit, an algorithm and a window length. */
const isSame =
  (one: NamedLimit) =>
  (other: NamedLimit): boolean =>
    countsOf(other) === countsOf(one);

function windowOf(limit: ModelLimit): unknown {
  if (limit.kind === "calendar-window") return `${limit.window} ${limit.timeZone}`;
  return limit.kind === "token-bucket" ? "" : limit.windowUs;
}

function countsOf({ name, limit }: NamedLimit): string {
  return [name, limit.unit, limit.kind, windowOf(limit)].join(" ");
}

function idOf(limits: readonly NamedLimit[]): string {
  const lines = limits.map(({ name, numbers }) => `${name} ${numbers}`);
  return lines.sort((one, other) => one.localeCompare(other)).join("\n");
}

const rulesIn = ({ limits }: Row): LimitRules[] => limits.map(({ limit }) => rulesOf(limit, {}));

/** Whether no unit counted under any limit when the longest idle time began. */
function isIdle(row: Row, nowUs: bigint): boolean {
  const idleTtlUs = rulesIn(row)
    .map((rules) => rules.idleTtlUs)
    .reduce(larger, 0n);
  return row.states.every((state) => state === undefined || state.used(nowUs - idleTtlUs) === 0n);
}

/** A key under a limit that begins empty expires, whether or not a sweep has dropped it. */
function hasExpired(row: Row, nowUs: bigint): boolean {
  return rulesIn(row).some((rules) => rules.recordsFirstTouch) && isIdle(row, nowUs);
}

/** The row with its limits in another order and other modes: the same states. */
function inOrderOf(limits: readonly NamedLimit[], row: Row): Row {
  return { limits, states: limits.map((limit) => row.states[row.limits.findIndex(isSame(limit))]) };
}

function carried(to: NamedLimit, from: readonly Row[], nowUs: bigint): LimitState | undefined {
  const rules = rulesOf(to.limit, {});
  const row = from.find(({ limits }) => limits.some(isSame(to)));
  // A limit that joins a key in use is touched for the first time.
  if (row === undefined) return rules.recordsFirstTouch ? rules.fresh(nowUs) : undefined;
  const at = row.limits.findIndex(isSame(to));
  const limit = row.limits[at] ?? to;
  if (limit.numbers === to.numbers) return row.states[at];
  const before = rulesOf(limit.limit, {});
  return carriedOver(rules, before, row.states[at] ?? before.fresh(nowUs), nowUs);
}

function restOf(row: Row, target: readonly NamedLimit[]): Row {
  const limits = row.limits.filter((limit) => !target.some(isSame(limit)));
  return inOrderOf(limits, row);
}
