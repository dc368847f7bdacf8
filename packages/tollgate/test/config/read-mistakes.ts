import { LimitsFileError, type Mistake, type ParseOptions, parseLimits } from "tollgate/config";

/** The mistakes of a text, a line for each; none if it is taken. */
export function readMistakes(text: string, options?: ParseOptions): readonly string[] {
  return refusalOf(text, options)?.message.split("\n") ?? [];
}

export function refusalOf(
  text: string,
  options?: ParseOptions,
): (Error & { mistakes: readonly Mistake[] }) | undefined {
  try {
    parseLimits(text, options);
    return undefined;
  } catch (error) {
    if (error instanceof LimitsFileError) return error;
    throw error;
  }
}
