import { RequestError } from "../http/request-error.ts";

const LIST = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;
const TAG = /(W\/)?"([^"]*)"/g;

export function etagOf(version: string): string {
  return `"${version}"`;
}

/**
 * Compares `If-Match` (RFC 9110, 13.1.1) with the version in force.
 *
 * @throws RequestError 428 without the header, 412 if it names other versions, 400 if it is malformed.
 */
export function checkIfMatch(header: string | undefined, version: string): void {
  const headers = { etag: etagOf(version) };
  if (header === undefined) {
    throw new RequestError(428, "expected If-Match with the version that this change replaces", { version }, headers);
  }
  const text = header.trim();
  if (text === "*") return;
  if (!LIST.test(text)) throw new RequestError(400, 'if-match: expected *, or versions such as "3f2a"');
  // Weak tags never match.
  const isNamed = [...text.matchAll(TAG)].some(([, weak, tag]) => weak === undefined && tag === version);
  if (!isNamed) throw new RequestError(412, "the limits in force are another version", { version }, headers);
}
