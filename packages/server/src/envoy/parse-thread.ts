import { workerData } from "node:worker_threads";
import type { FileText } from "../files/read-texts.ts";
import { sendPieces } from "../limits/thread-pieces.ts";
import { lowerPriority } from "../limits/thread-priority.ts";
import { readConfiguration } from "./configuration.ts";
import { type ConfigurationPiece, piecesOf } from "./configuration-pieces.ts";

// A thread that reads files of Envoy's service. Requests that come meanwhile go first.
lowerPriority();
const { value, mistakes } = readConfiguration(workerData as readonly FileText[]);
const pieces: Iterator<ConfigurationPiece> =
  value === undefined ? [{ type: "mistakes" as const, mistakes: mistakes ?? [] }].values() : piecesOf(value);
sendPieces(pieces);
