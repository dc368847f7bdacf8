/** An error that a server answered with. */
export interface ServerError {
  /** Such as `"NOSCRIPT"`, or `"ERR"` where there is nothing better. */
  readonly code: string;
  readonly text: string;
}

/**
 * It begins with a code in capitals, which more words follow; errors of the system may be all capitals too. Upstash has something
 * to say before.
 */
const ANSWER = /^(?:Command failed: )?(?!E(?:AI|CONN|HOST|NET|NOT|PIPE|TIMED))([A-Z][A-Z0-9_]+)(?:[ :,]+(.*))?$/s;
/** Glide has words of its own for codes that it knows. */
const OF_GLIDE = /^An error was signalled by the server: - (\w+?)(?:Error)?(?:: (.*))?$/s;
const CODES_OF_GLIDE: ReadonlyMap<string, string> = new Map([
  ["BUSYLOADING", "LOADING"],
  ["PERMISSIONDENIED", "NOPERM"],
  ["RESPONSE", "ERR"],
]);
/** Before Redis 7 the code of a command that failed in a script stands in the middle. */
const IN_SCRIPT = /^Error running script .*?: -([A-Z][A-Z0-9_]+) (.*)$/s;

/** What the server answered; `undefined` where the client failed of itself. */
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
