import { parentPort, workerData } from "node:worker_threads";
import type { FileText } from "../files/read-texts.ts";
import { type LimitsPiece, piecesOf } from "./limits-pieces.ts";
import { readLimitsFiles } from "./read-limits-files.ts";

// A thread that reads limits files. It sends the next piece whenever it is asked for one.

const { value, mistakes } = readLimitsFiles(workerData as readonly FileText[]);
const pieces: Iterator<LimitsPiece> =
  value === undefined ? [{ type: "mistakes" as const, mistakes: mistakes ?? [] }].values() : piecesOf(value);

parentPort?.on("message", () => {
  const next = pieces.next();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
  if (next.done !== true) parentPort?.postMessage(next.value);
});
