const MOST_CHARACTERS = 60;

/** The beginning of a value of a body as JSON, for errors. Bodies may be nested deeper than JSON can be written. */
export function excerpt(value: unknown): string {
  const text = textOf(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch (error) {
    if (error instanceof RangeError) return `${Array.isArray(value) ? "a list" : "an object"} that is nested too deep`;
    throw error;
  }
}
