import fc from "fast-check";

/** Four octets, edges among them. */
export const octets: fc.Arbitrary<readonly number[]> = fc.array(
  fc.oneof(fc.constantFrom(0, 1, 10, 127, 255), fc.nat({ max: 255 })),
  { minLength: 4, maxLength: 4 },
);

/** Eight groups, with runs of zeros, and the beginnings of well-known networks. */
export const parts: fc.Arbitrary<readonly number[]> = fc
  .tuple(
    fc.constantFrom<readonly number[]>(
      [],
      [0x2001, 0xdb8],
      [0x64, 0xff9b],
      [0xfe80],
      [0, 0, 0, 0, 0, 0xffff],
      [0x2002],
    ),
    fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 0xffff }) }), {
      minLength: 8,
      maxLength: 8,
    }),
  )
  .map(([start, rest]) => [...start, ...rest].slice(0, 8));

export function quadOf(four: readonly number[]): string {
  return four.join(".");
}

/** One of the ways in which RFC 4291 lets it be written. */
export function spelling(groups: readonly number[]): fc.Arbitrary<string> {
  return fc
    .record({
      padding: fc.array(fc.nat({ max: 4 }), { minLength: 8, maxLength: 8 }),
      upperCase: fc.boolean(),
      dottedTail: fc.boolean(),
      runFrom: fc.nat({ max: 7 }),
      runLength: fc.nat({ max: 8 }),
    })
    .map(({ padding, upperCase, dottedTail, runFrom, runLength }) => {
      const hex = groups.map((group, at) => group.toString(16).padStart(padding[at] ?? 0, "0"));
      const texts = dottedTail ? [...hex.slice(0, 6), tailOf(groups)] : hex;
      const text = withRun(texts, groups, runFrom, runLength);
      return upperCase ? text.toUpperCase() : text;
    });
}

function tailOf(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  return quadOf([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/** With `::` in place of groups, if there are zeros there. */
function withRun(texts: readonly string[], groups: readonly number[], from: number, length: number): string {
  const end = from + length;
  const isRun = length > 0 && end <= texts.length && groups.slice(from, end).every((group) => group === 0);
  const keepsTail = texts.length === 8 || end <= 6;
  if (!(isRun && keepsTail)) return texts.join(":");
  return `${texts.slice(0, from).join(":")}::${texts.slice(end).join(":")}`;
}

/** Plain, or embedded in IPv6. */
export function spellingOfIpv4(four: readonly number[]): fc.Arbitrary<string> {
  const [first = 0, second = 0, third = 0, fourth = 0] = four;
  const pair = [first * 256 + second, third * 256 + fourth];
  return fc.oneof(
    fc.constant(quadOf(four)),
    spelling([0, 0, 0, 0, 0, 0xffff, ...pair]),
    spelling([0x64, 0xff9b, 0, 0, 0, 0, ...pair]),
    fc
      .array(fc.nat({ max: 0xffff }), { minLength: 5, maxLength: 5 })
      .chain((site) => spelling([0x2002, ...pair, ...site])),
  );
}
