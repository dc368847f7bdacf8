/** The request for a chat completion, as far as the gateway reads it. */
export interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens?: number;
}

const MAX_ANSWER_TOKENS = 1_000;
/** Few answers are longer. What goes beyond is charged while it is streamed. */
const USUAL_ANSWER_TOKENS = 200;

/** What the gateway lets an answer have, whatever the client asks for. */
export function answerTokens({ max_tokens: wanted }: ChatRequest): number {
  const isUsable = wanted !== undefined && Number.isInteger(wanted) && wanted > 0;
  return isUsable ? Math.min(wanted, MAX_ANSWER_TOKENS) : MAX_ANSWER_TOKENS;
}

/** Four characters are about a token. */
export function promptTokens({ messages }: ChatRequest): number {
  return messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4), 0);
}

/** What is reserved for a request. */
export function estimatedTokens(request: ChatRequest): number {
  return promptTokens(request) + Math.min(answerTokens(request), USUAL_ANSWER_TOKENS);
}
