import fc from "fast-check";
import { ADDRESSES, HOSTS, METHODS, SEGMENTS, TEXTS } from "./limits-file-arbitrary.ts";
import type { PlainFacts } from "./reference/matching.ts";

const text = fc.constantFrom(...TEXTS);

export function factsArbitrary(): fc.Arbitrary<PlainFacts> {
  return fc
    .record({
      ip: fc.constantFrom(...ADDRESSES),
      method: fc.constantFrom(...METHODS, "post"),
      segments: fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 5 }),
      host: fc.constantFrom(...HOSTS),
      texts: fc.tuple(text, text, text, text, text, text),
    })
    .map(({ segments, texts: [a, b, plan, q, c, d], ...facts }) => ({
      ...facts,
      path: `/${segments.join("/")}`,
      header: { "x-a": a, "x-b": b, "x-plan": plan },
      query: { q },
      cookie: { c },
      descriptor: { d, e: a },
    }));
}
