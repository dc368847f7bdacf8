import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forEachLine, textsOf } from "../../src/replay/lines.ts";

/** The lines of bytes that come in these pieces. */
async function linesOf(pieces: Iterable<Buffer>): Promise<string[]> {
  const lines: string[] = [];
  const chunks = async function* () {
    yield* pieces;
  };
  for await (const text of textsOf(chunks())) forEachLine(text, (line) => void lines.push(line));
  return lines;
}

describe("the lines of a log", () => {
  it("are the same wherever its pieces are cut, and empty ones are left out", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "\u00ff"), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (texts) => {
        const pieces = texts.filter((piece) => piece !== "").map((piece) => Buffer.from(piece, "latin1"));
        const lines = texts.join("").split("\n");
        const expected = lines.map((line) => line.replace(/\r$/, "")).filter((line) => line !== "");
        // Node's own pieces are never empty.
        expect(await linesOf(pieces)).toEqual(expected);
      }),
    );
  });

  it("are cut if they do not end, and the next one is whole", async () => {
    const endless = function* () {
      yield Buffer.from("first\n");
      for (let piece = 0; piece < 200; piece += 1) yield Buffer.alloc(1 << 20, "x");
      yield Buffer.from("\nlast");
    };
    const lines = await linesOf(endless());
    expect(lines.map(({ length }) => length)).toEqual([5, 65_536, 4]);
  });
});
