/** An event of a streamed answer. */
interface Chunk {
  readonly usage?: { readonly total_tokens: number } | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
}

/** Reads the events of a streamed answer, and counts the tokens that it has cost. */
export class UsageMeter {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #estimated: number;
  #reported: number | undefined;

  constructor(prompt: number) {
    this.#estimated = prompt;
  }

  /** The upstream's own count, which comes last. Until then an estimate: a token for each part of the answer. */
  get tokens(): number {
    return this.#reported ?? this.#estimated;
  }

  add(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) this.#addChunk(JSON.parse(line.slice(6)) as Chunk);
  }

  #addChunk({ usage, choices }: Chunk): void {
    if (usage !== undefined && usage !== null) this.#reported = usage.total_tokens;
    if (choices?.[0]?.delta?.content !== undefined) this.#estimated += 1;
  }
}
