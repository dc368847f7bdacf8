import { TollgateError } from "tollgate";

/** The error of misuse that a function throws. */
export function errorOf(work: () => unknown): TollgateError {
  try {
    work();
  } catch (error) {
    if (error instanceof TollgateError) return error;
    throw error;
  }
  throw new Error("expected a TollgateError, got none");
}
