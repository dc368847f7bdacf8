import { type LimitsFile, trustLimitsFile } from "tollgate/config";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "./limits-files.ts";
import { JoinedPieces, type LimitsPiece } from "./limits-pieces.ts";
import { rememberVersion } from "./limits-version.ts";
import { readLimitsFiles } from "./read-limits-files.ts";
import { areShort, pullPieces } from "./thread-pieces.ts";

// Threads run the built file, also when the tests run this one.
const THREAD = new URL("../../dist/limits/parse-thread.js", import.meta.url);

/** Reads limits files without blocking this thread: 10,000 rules in YAML take about a second. */
export function readWithoutBlocking(texts: readonly FileText[]): Promise<Compiled<LimitsFile>> | Compiled<LimitsFile> {
  if (areShort(texts)) return readLimitsFiles(texts);
  const joined = new JoinedPieces();
  return pullPieces(THREAD, texts, (piece: LimitsPiece): Compiled<LimitsFile> | undefined => {
    if (piece.type === "mistakes") return { mistakes: piece.mistakes };
    const file = joined.add(piece);
    if (piece.type !== "end" || file === undefined) return undefined;
    // The thread has checked it; what came is a copy.
    const value = trustLimitsFile(file);
    rememberVersion(value, piece.version);
    return { value };
  });
}
