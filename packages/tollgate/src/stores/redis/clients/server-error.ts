/** An error reply of a server. */
export interface ServerError {
  /** Such as `"NOSCRIPT"`, or the generic `"ERR"`. */
  readonly code: string;
  readonly text: string;
}

/** A code in capitals, then more words. System errors are in capitals, too, and are excluded. Upstash adds a prefix. */
const ANSWER = /^(?:Command failed: )?(?!E(?:AI|CONN|HOST|NET|NOT|PIPE|TIMED))([A-Z][A-Z0-9_]+)(?:[ :,]+(.*))?$/s;
/** Glide renames the codes that it knows. */
const OF_GLIDE = /^An error was signalled by the server: - (\w+?)(?:Error)?(?:: (.*))?$/s;
const CODES_OF_GLIDE: ReadonlyMap<string, string> = new Map([
  ["BUSYLOADING", "LOADING"],
  ["PERMISSIONDENIED", "NOPERM"],
  ["RESPONSE", "ERR"],
]);
/** Before Redis 7 an error of a command in a script has the code in the middle. */
const IN_SCRIPT = /^Error running script .*?: -([A-Z][A-Z0-9_]+) (.*)$/s;

/** The server's error; `undefined` for an error of the client. */
export function serverError(error: unknown): ServerError | undefined {
  const message = error instanceof Error ? error.message : "";
  const answer = read(OF_GLIDE, message) ?? read(ANSWER, message);
  return answer?.code === "ERR" ? (read(IN_SCRIPT, answer.text) ?? answer) : answer;
}

function read(form: RegExp, message: string): ServerError | undefined {
  const [, word, text = ""] = form.exec(message) ?? [];
  if (word === undefined) return undefined;
  const code = word.toUpperCase();
  return { code: CODES_OF_GLIDE.get(code) ?? code, text };
}
