/** The request for a chat completion, as far as the gateway reads it. */
export interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens?: number;
}

interface Chunk {
  readonly usage?: { readonly total_tokens: number } | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
}

const MAX_ANSWER_TOKENS = 1_000;

/** What the gateway lets an answer have, whatever the client asks for. */
export function answerTokens({ max_tokens: wanted }: ChatRequest): number {
  const isUsable = wanted !== undefined && Number.isInteger(wanted) && wanted > 0;
  return isUsable ? Math.min(wanted, MAX_ANSWER_TOKENS) : MAX_ANSWER_TOKENS;
}

/** Four characters are about a token. */
export function promptTokens({ messages }: ChatRequest): number {
  return messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0);
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

  /** The upstream's own count, or an estimate as long as it has not come: a token for each part of the answer. */
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
