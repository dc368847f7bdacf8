import { readFileSync } from "node:fs";
import type { AdminToken } from "../admin/admin-token.ts";
import { UsageError } from "./usage-error.ts";

/** What the header `Authorization` can hold (RFC 6750, 2.1), and too long to guess; then a name, and `read`. */
const LINE = /^([\w.~+/-]{16,256}=*)(?:\s+(?!read$)([\w.@-]{1,48}))?(?:\s+(read))?$/;

/**
 * The tokens in a file, one a line, so that a new one can be added before the old one goes. A name may follow, and
 * `read` for a token that changes nothing.
 *
 * @throws UsageError which says nothing of what the file contains: errors are logged.
 */
export function readTokens(path: string): readonly AdminToken[] {
  const lines = readLines(path).filter((line) => line !== "");
  if (lines.length === 0) throw fileError(path, "at least one token", "an empty one");
  return lines.map((line, i) => {
    const [, token, name, read] = LINE.exec(line) ?? [];
    if (token === undefined) {
      const expected = "tokens of 16 to 256 letters, digits and ._~+/-, each with a name and read behind it, if at all";
      throw fileError(path, expected, `another on line ${i + 1}`);
    }
    return { token, ...(name !== undefined && { name }), access: read === undefined ? "write" : "read" };
  });
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
