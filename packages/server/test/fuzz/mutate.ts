import type { Random } from "./random.ts";

/** Changes bytes in some places: the rest stays, so that readers get beyond the beginning. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let left = random.between(1, 4); left > 0; left -= 1) changed = mutateOnce(random, changed);
  return changed;
}

function mutateOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const length = Math.min(random.size(200), bytes.length - at);
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at + length);
  const piece = bytes.subarray(at, at + length);
  switch (random.below(7)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, piece, piece, after]);
    case 3:
      return Buffer.concat([before, random.bytes(random.size(64)), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([before, ...random.list(random.size(500), () => piece), after]);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length] = random.percent(50) ? random.below(256) : random.pick(SPECIAL);
      return copy;
    }
  }
}

/** Bytes that separate things. */
const SPECIAL = [...Buffer.from("\0\r\n\t :;,/%{}[]\"'*&#-\x7f\x80\xff", "latin1")];
