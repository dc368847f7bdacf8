// Lines are read as Latin-1, one character a byte, which takes less time than UTF-8.

/** A copy of a slice, which would keep the whole text in memory that it is from. */
export function copyOf(slice: string): string {
  return Buffer.from(slice, "latin1").toString("latin1");
}

/** The text of these bytes in UTF-8. */
export function utf8Of(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}

/** The bytes in UTF-8 of a text, as Latin-1. */
export function latin1Of(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

const NOT_ASCII = /[^\0-\u007f]/;
