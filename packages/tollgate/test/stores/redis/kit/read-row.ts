import { NUMBER_MULTIPLES } from "../../../../src/stores/redis/script/row.ts";

/** An entry of a row: a limit's counts, or what was forgotten, leases or a block. */
export interface RowEntry {
  readonly name: string;
  readonly kind: string;
  readonly numbers: readonly number[];
  /** Where the limit's cells, or the text of another entry, begin and end. */
  readonly data: Buffer;
}

/** A value of the Redis store. */
export interface Row {
  readonly version: number;
  readonly bornUs: number;
  readonly entries: readonly RowEntry[];
}

const NUMBERS: Readonly<Record<string, number>> = { b: 2, r: 3, e: 4, f: 2, c: 2, s: 3, p: 2 };
const CELLS: Readonly<Record<string, number>> = { b: 1, r: 1, e: 1, f: 2, c: 2 };
const NAME_LENGTH = 5;
const CELL_BYTES = 7;

/** Reads a value by itself, as `rows.lua` does. @throws Error when it does not end where an entry does. */
export function readRow(value: unknown): Row {
  if (!Buffer.isBuffer(value)) throw new Error("expected a value");
  const entries: RowEntry[] = [];
  let at = 8;
  while (at < value.length) {
    const name = value.toString("latin1", at, at + NAME_LENGTH);
    const kind = value.toString("latin1", at + NAME_LENGTH, at + NAME_LENGTH + 1);
    at += NAME_LENGTH + 1;
    const numbers: number[] = [];
    for (let i = 0; i < (NUMBERS[kind] ?? 0); i += 1) {
      let digit = value[at]! - 48;
      const multiple = NUMBER_MULTIPLES[Math.floor(digit / 8) % 4]!;
      let number = digit % 8;
      for (let scale = 8; digit >= 32; scale *= 32) {
        at += 1;
        digit = value[at]! - 48;
        number += (digit % 32) * scale;
      }
      at += 1;
      numbers.push(number * multiple);
    }
    // The group of a limit.
    if (numbers.length > 0) at += 1;
    const cells = CELLS[kind];
    const length = cells === undefined ? value.readUIntLE(at, 3) : cells * CELL_BYTES;
    if (cells === undefined) at += 3;
    if (at + length > value.length) throw new Error(`expected ${length} bytes, got ${value.length - at}`);
    entries.push({ name, kind, numbers, data: value.subarray(at, at + length) });
    at += length;
  }
  return { version: value[0]!, bornUs: cellAt(value, 1), entries };
}

/** Seven bytes are more than a number of JavaScript holds exactly. */
function cellAt(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at, 4) + bytes.readIntLE(at + 4, 3) * 2 ** 32;
}
