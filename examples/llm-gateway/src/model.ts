import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

// A stand-in for a model: it answers in the form of OpenAI's chat completions, some words, one after another.

const WORDS = ["Hello", ",", " ", "world", "!"];
const MS_PER_WORD = Number(process.env["MS_PER_WORD"] ?? 100);

const eventOf = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

async function answer(words: number, response: ServerResponse): Promise<void> {
  response.setHeader("Content-Type", "text/event-stream");
  for (let i = 0; i < words && !response.destroyed; i += 1) {
    response.write(eventOf({ choices: [{ delta: { content: WORDS[i % WORDS.length] } }] }));
    await wait(MS_PER_WORD);
  }
  // Only the last event tells the usage: 3 tokens for two words, and 5 for the prompt.
  response.write(eventOf({ choices: [], usage: { total_tokens: 5 + Math.ceil(1.5 * words) } }));
  response.end("data: [DONE]\n\n");
}

const server = createServer((request, response) => {
  json(request).then(
    (asked) => answer((asked as { readonly max_tokens: number }).max_tokens, response),
    () => response.writeHead(400).end(),
  );
});
await once(server.listen(Number(process.env["PORT"] ?? 8080), "127.0.0.1"), "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`);
