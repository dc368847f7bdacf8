import { workerData } from "node:worker_threads";
import type { FileText } from "../files/read-texts.ts";
import { type LimitsPiece, piecesOf } from "./limits-pieces.ts";
import { readLimitsFiles } from "./read-limits-files.ts";
import { sendPieces } from "./thread-pieces.ts";
import { lowerPriority } from "./thread-priority.ts";

// A thread that reads limits files. Requests that come meanwhile go first.
lowerPriority();
const { value, mistakes } = readLimitsFiles(workerData as readonly FileText[]);
const pieces: Iterator<LimitsPiece> =
  value === undefined ? [{ type: "mistakes" as const, mistakes: mistakes ?? [] }].values() : piecesOf(value);
sendPieces(pieces);
