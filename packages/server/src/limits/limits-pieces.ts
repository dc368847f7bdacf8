import type { LimitsFile } from "tollgate/config";
import { versionOf } from "./limits-version.ts";
import type { Mistake } from "./mistake.ts";
import { JoinedParts, type Parts, partsOf } from "./value-parts.ts";

/** A part of a limits file that one message has. */
export type LimitsPiece =
  | { readonly type: "mistakes"; readonly mistakes: readonly Mistake[] }
  | { readonly type: "parts"; readonly parts: Parts }
  | { readonly type: "end"; readonly version: string };

/** Cuts a file into pieces, in its order. */
export function* piecesOf(file: LimitsFile): Generator<LimitsPiece, undefined> {
  for (const parts of partsOf(file)) yield { type: "parts", parts };
  yield { type: "end", version: versionOf(file) };
}

/** Puts the pieces of a file together again. */
export class JoinedPieces {
  readonly #parts = new JoinedParts();

  /** @returns the file, with its last piece. */
  add(piece: Exclude<LimitsPiece, { readonly type: "mistakes" }>): LimitsFile | undefined {
    if (piece.type === "end") return this.#parts.value as LimitsFile;
    this.#parts.add(piece.parts);
    return undefined;
  }
}
