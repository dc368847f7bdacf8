import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bytes } from "../../src/replay/bytes.ts";
import { forEachLine, linesOf } from "../../src/replay/lines.ts";

/** The lines of bytes that come in these pieces. */
async function read(pieces: Iterable<Buffer>): Promise<string[]> {
  const lines: string[] = [];
  const chunks = async function* () {
    yield* pieces;
  };
  const take = ({ buffer, start, end }: Bytes) => void lines.push(buffer.toString("latin1", start, end));
  for await (const buffer of linesOf(chunks())) forEachLine(buffer, take);
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
        expect(await read(pieces)).toEqual(expected);
      }),
    );
  });

  it("are cut if they do not end, and the next one is whole", async () => {
    const endless = function* () {
      yield Buffer.from("first\n");
      for (let piece = 0; piece < 200; piece += 1) yield Buffer.alloc(1 << 20, "x");
      yield Buffer.from("\nlast");
    };
    const lines = await read(endless());
    expect(lines.map(({ length }) => length)).toEqual([5, 65_536, 4]);
  });
});
