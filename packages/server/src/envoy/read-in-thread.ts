import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "../limits/limits-files.ts";
import { areShort, pullPieces } from "../limits/thread-pieces.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { type ConfigurationPiece, JoinedConfiguration } from "./configuration-pieces.ts";

// Threads run the built file, also when the tests run this one.
const THREAD = new URL("../../dist/envoy/parse-thread.js", import.meta.url);

/** Reads files of Envoy's service without blocking this thread. */
export function readWithoutBlocking(
  texts: readonly FileText[],
): Promise<Compiled<Configuration>> | Compiled<Configuration> {
  if (areShort(texts)) return readConfiguration(texts);
  const joined = new JoinedConfiguration();
  return pullPieces(THREAD, texts, (piece: ConfigurationPiece): Compiled<Configuration> | undefined => {
    if (piece.type === "mistakes") return { mistakes: piece.mistakes };
    const value = joined.add(piece);
    return value && { value };
  });
}
