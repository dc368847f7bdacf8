import fc from "fast-check";
import { magnitude } from "./limit-arbitrary.ts";

/** A window that keeps up to `groups` groups at a time, because of its limit or because of its resolution. */
export interface WindowSpec {
  readonly limit: number;
  readonly windowUs: number;
  readonly resolutionUs: number;
  /** Whether the resolution alone bounds the groups, so that charges beyond the limit make no more of them. */
  readonly boundByTime: boolean;
}

/**
 * A stretch of calls of one kind. `count` is their number. `part` is a part of the window, of its limit or of a group,
 * depending on the kind.
 */
export interface Segment {
  readonly kind: "steady" | "grained" | "burst" | "taken-back" | "charged" | "refund" | "pause" | "back";
  readonly count: number;
  readonly part: number;
}

export interface Load {
  readonly window: WindowSpec;
  readonly startUs: number;
  readonly segments: readonly Segment[];
}

/** `afterUs` counts from the previous call. */
export interface LoadCall {
  readonly verb: "consume" | "charge" | "refund";
  readonly afterUs: number;
  readonly cost: number;
}

/** A key keeps no more groups. */
const MOST_GROUPS = 4_096;
const PARTS = 8;
const MOST_SEGMENTS = 8;

const groupCount = fc.oneof(
  fc.integer({ min: 1, max: 70 }),
  fc.integer({ min: 1_000, max: 1_100 }),
  fc.integer({ min: MOST_GROUPS - 2, max: MOST_GROUPS }),
  magnitude(12),
);

const windowLengthUs = fc.oneof(
  fc.constantFrom(60_000_000, 3_600_000_000),
  fc.integer({ min: MOST_GROUPS, max: 2 ** 33 }),
);

const windowSpec: fc.Arbitrary<WindowSpec & { readonly groups: number }> = fc
  .record({
    groups: groupCount,
    windowUs: windowLengthUs,
    boundBy: fc.constantFrom("limit", "time"),
    units: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ boundBy, units, ...rest }) =>
    boundBy === "limit"
      ? { ...rest, limit: rest.groups, resolutionUs: 0, boundByTime: false }
      : {
          ...rest,
          limit: rest.groups * units,
          resolutionUs: Math.ceil(rest.windowUs / rest.groups),
          boundByTime: true,
        },
  );

/** A load of some of these kinds, long enough for the ring to go round. It is too long to shrink. */
export function load(kinds: readonly Segment["kind"][], startUs: fc.Arbitrary<number>): fc.Arbitrary<Load> {
  const part = fc.integer({ min: 1, max: PARTS });
  const segment = fc.record({ kind: fc.constantFrom(...kinds), length: part, part });
  const segments = fc.array(segment, { minLength: 2, maxLength: MOST_SEGMENTS, size: "max" });
  return fc.noShrink(fc.record({ window: windowSpec, startUs, segments })).map((made) => ({
    window: made.window,
    startUs: made.startUs,
    segments: made.segments
      .map(({ length, ...rest }) => ({ ...rest, count: Math.ceil((made.window.groups * length) / PARTS) }))
      .filter(({ kind }) => kind !== "charged" || made.window.boundByTime),
  }));
}

export function* callsOf({ kind, count, part }: Segment, window: WindowSpec): Generator<LoadCall> {
  const { windowUs, resolutionUs, limit } = window;
  if (kind === "pause") yield { verb: "refund", afterUs: Math.ceil((windowUs * part) / PARTS), cost: 0 };
  else if (kind === "back") yield { verb: "refund", afterUs: -Math.ceil((windowUs * part) / PARTS), cost: 0 };
  else if (kind === "refund") yield { verb: "refund", afterUs: part, cost: Math.ceil((limit * part) / PARTS) };
  else {
    for (let i = 1; i <= count; i += 1) {
      const verb = kind === "charged" ? "charge" : "consume";
      const [gapUs, nextGapUs] = gapsUs(kind, part, i, window);
      yield { verb, afterUs: gapUs, cost: 1 };
      if (nextGapUs !== undefined) yield { verb, afterUs: nextGapUs, cost: 1 };
      if (kind === "taken-back" && i % 2 === 0) yield { verb: "refund", afterUs: resolutionUs, cost: (i % 3) + 1 };
    }
  }
}

/**
 * Steady calls come at exactly the rate, so that any window holds the limit. Grained calls open about as many groups as
 * there can be.
 */
function gapsUs(
  kind: Segment["kind"],
  part: number,
  i: number,
  { windowUs, resolutionUs, limit }: WindowSpec,
): [number] | [number, number] {
  if (kind === "burst") return [0];
  if (kind === "steady" || kind === "taken-back") {
    return [Math.floor((i * windowUs) / limit) - Math.floor(((i - 1) * windowUs) / limit)];
  }
  const widest = Math.max(0, resolutionUs - 1);
  return part % 2 === 0 ? [1, widest] : [widest + (part % 3)];
}
