import { Receipt } from "./receipt.ts";

/** Charges are joined that leave within one part of so many of the time for which charges still count. */
const PARTS = 256;

/**
 * Fewer receipts of the charges of one call, in the order of time. What has left is dropped. Charges that leave at
 * nearly one time are joined, and are given back until the first of them leaves: never longer than they count. From
 * then on the decisions of these charges have nothing left.
 */
export function joinReceipts(receipts: readonly Receipt[], nowUs: number): Receipt[] {
  const counting = receipts.filter(({ left, untilUs }) => left.some((units, i) => units > 0 && untilUs[i]! > nowUs));
  const [first] = counting;
  if (first === undefined) return [];
  const widthsUs = counting[counting.length - 1]!.untilUs.map(
    (lastUs, i) => (lastUs - Math.max(nowUs, first.untilUs[i]!)) / PARTS,
  );
  const joined = [first];
  for (const receipt of counting.slice(1)) {
    const both = join(joined[joined.length - 1]!, receipt, nowUs, widthsUs);
    if (both === undefined) joined.push(receipt);
    else joined[joined.length - 1] = both;
  }
  return joined;
}

/** Both as one; `undefined` if they took from elsewhere, or leave too far apart. */
function join(one: Receipt, other: Receipt, nowUs: number, widthsUs: readonly number[]): Receipt | undefined {
  const places = joinPlaces(one, other);
  if (one.route !== other.route || places === undefined) return undefined;
  const left: number[] = [];
  const untilUs: number[] = [];
  for (const [i, widthUs] of widthsUs.entries()) {
    const counting = [one, other].filter((receipt) => receipt.left[i]! > 0 && receipt.untilUs[i]! > nowUs);
    const untils = counting.map((receipt) => receipt.untilUs[i]!);
    if (untils.length === 2 && Math.abs(untils[1]! - untils[0]!) > widthUs) return undefined;
    left.push(counting.reduce((sum, receipt) => sum + receipt.left[i]!, 0));
    untilUs.push(untils.length === 0 ? 0 : Math.min(...untils));
  }
  for (const receipt of [one, other]) receipt.forget();
  return new Receipt(one.maker, one.route, one.keys, left, untilUs, places);
}

/** A reset between two charges counts for both. */
function joinPlaces(one: Receipt, { taken }: Receipt): Receipt["taken"] | undefined {
  const places = one.taken.map((place, i) => ({ ...place, resets: Math.min(place.resets, taken[i]!.resets) }));
  const isOnePlace = places.every(
    ({ where, degraded }, i) => where === taken[i]!.where && degraded === taken[i]!.degraded,
  );
  return isOnePlace ? places : undefined;
}
