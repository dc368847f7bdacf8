/** How many words a text takes: its length, then two characters a word. */
export function textWords(text: string): number {
  return 1 + Math.ceil(text.length / 2);
}

/** Writes a text where no other thread writes. */
export function writeText(words: Int32Array, at: number, text: string): void {
  words[at] = text.length;
  for (let i = 0; i < text.length; i += 2) {
    const second = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
    words[at + 1 + i / 2] = text.charCodeAt(i) | (second << 16);
  }
}

export function readText(words: Int32Array, at: number): string {
  const codes = Array.from({ length: words[at]! }, (_, i) => (words[at + 1 + (i >>> 1)]! >>> (16 * (i & 1))) & 0xffff);
  return codes.map((code) => String.fromCharCode(code)).join("");
}
