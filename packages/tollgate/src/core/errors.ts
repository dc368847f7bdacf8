/** The kind of an error. Codes never change between versions. Each has an entry in `docs/errors.md`. */
export type ErrorCode =
  | "ERR_CLOCK"
  | "ERR_CLOSED"
  | "ERR_COMBINE"
  | "ERR_COST"
  | "ERR_DENIED"
  | "ERR_DURATION"
  | "ERR_FILE"
  | "ERR_KEY"
  | "ERR_LIMIT"
  | "ERR_LIMITS"
  | "ERR_NAME"
  | "ERR_OPTION"
  | "ERR_STORE";

/** Global, so that the copies of the library for `import` and for `require` know each other's errors. */
const BRAND = Symbol.for("tollgate.error");

/**
 * The error that Tollgate throws on misuse, before anything has changed. A denial is a value, never an error.
 *
 * @example
 * ```ts
 * import { TollgateError, tokenBucket } from "tollgate";
 *
 * try {
 *   tokenBucket({ capacity: 0, refill: 1, per: "1s" });
 * } catch (error) {
 *   if (!(error instanceof TollgateError)) throw error;
 *   console.log(error.code); // ERR_LIMIT
 * }
 * ```
 */
export class TollgateError extends Error {
  override readonly name = "TollgateError";
  readonly code: ErrorCode;
  /** Set on an `ERR_STORE` of a call that a server may have carried out, such as one that timed out. */
  readonly mayHaveRun?: true;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly mayHaveRun?: true }) {
    super(message, options);
    this.code = code;
    if (options?.mayHaveRun === true) this.mayHaveRun = true;
  }

  /** Errors of another copy of the library are instances, too. Subclasses have their own instances only. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass inherits this method.
    if (this !== TollgateError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === "object" && value !== null && BRAND in value;
  }

  static {
    Object.defineProperty(TollgateError.prototype, BRAND, { value: true });
  }
}

/** Whether a call that failed may have been carried out. */
export function mayHaveRun(error: unknown): boolean {
  return error instanceof TollgateError && error.mayHaveRun === true;
}

const LONGEST_SHOWN = 80;

/** A value as an error message shows it: short and on one line. Never throws. */
export function show(value: unknown): string {
  const text = tryShowing(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function tryShowing(value: unknown): string {
  try {
    return showWhole(value);
  } catch {
    // For example, a revoked proxy.
    return "a value that cannot be shown";
  }
}

function showWhole(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.slice(0, LONGEST_SHOWN + 1));
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "object":
      return showObject(value);
    default:
      return String(value);
  }
}

function showObject(value: object | null): string {
  if (value === null) return "null";
  if (value instanceof Promise) return "a promise";
  return Array.isArray(value) ? "an array" : "an object";
}
