import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/** What the header `Authorization` can hold (RFC 6750, 2.1), and too long to guess. */
const TOKEN = /^[\w.~+/-]{16,256}=*$/;

/**
 * The tokens in a file, one a line, so that a new one can be added before the old one goes.
 *
 * @throws UsageError which says nothing of what the file contains: errors are logged.
 */
export function readTokens(path: string): readonly string[] {
  const lines = readLines(path).filter((line) => line !== "");
  if (lines.length === 0) throw fileError(path, "at least one token", "an empty one");
  const wrong = lines.findIndex((line) => !TOKEN.test(line));
  if (wrong === -1) return lines;
  throw fileError(path, "tokens of 16 to 256 letters, digits and ._~+/-", `another on line ${wrong + 1}`);
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.trim());
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "an error";
    throw fileError(path, "a file that this user may read", code, cause);
  }
}

function fileError(path: string, expected: string, got: string, cause?: unknown): UsageError {
  return new UsageError(`--admin-token-file: ${JSON.stringify(path)}: expected ${expected}, got ${got}`, { cause });
}
