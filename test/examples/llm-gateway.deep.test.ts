import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { AppProcess } from "./app-process.ts";
import { REPOSITORY } from "./code-blocks.ts";
import { ChatModel, Upstream } from "./upstreams.ts";
import { compileProjects, createUserProject } from "./user-project.ts";

/** The tokens of the prompt, and of the estimate for an answer, as the example counts them. */
const PROMPT = 4;
const ESTIMATE = PROMPT + 200;

const root = await createUserProject();
const folder = join(root, "llm-gateway");
cpSync(join(REPOSITORY, "examples", "llm-gateway"), folder, { recursive: true });
await compileProjects([folder]);

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((opened) => opened.stop()));
});

async function startProcess(entry: string, env: NodeJS.ProcessEnv): Promise<string> {
  const app = await AppProcess.start(folder, entry, env);
  open.push(app);
  return app.url;
}

/** A gateway in front of a model whose answers wait until it finishes them. */
async function startGateway() {
  const model = new ChatModel();
  model.hold();
  const upstream = await Upstream.start((request, response) => model.answer(request, response));
  open.push(upstream);
  return { model, url: await startProcess("server", { UPSTREAM_URL: upstream.url }) };
}

function chat(url: string, maxTokens: number, { user = "ann", signal = null as AbortSignal | null } = {}) {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${user}` },
    body: JSON.stringify({ max_tokens: maxTokens, messages: [{ role: "user", content: "Greet the world." }] }),
    signal,
  });
}

/** What counts against an API key, by unit. Nothing of it comes back within the minute that a test takes at most. */
async function used(url: string, user = "ann"): Promise<Record<string, number>> {
  const answer = await fetch(`${url}/v1/limits`, { headers: { Authorization: `Bearer ${user}` } });
  const limits = (await answer.json()) as { unit: string; used: number }[];
  return Object.fromEntries(limits.map((limit) => [limit.unit, limit.used]));
}

/** Reads so many parts of an answer. */
async function readParts({ body }: Response, count: number): Promise<void> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split('"content"').length <= count) text += (await reader.read()).value;
}

const PATIENCE = { timeout: 20_000 };

function counts(requests: number, tokens: number, streams: number): Record<string, number> {
  return { requests, tokens, "concurrent-requests": streams };
}

describe("examples/llm-gateway", () => {
  it("reserves an estimate, and settles exactly what the last event of the upstream says", async () => {
    const { model, url } = await startGateway();
    const answer = await chat(url, 900);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(await used(url)).toEqual(counts(1, ESTIMATE, 1));
    model.finish();
    expect(await answer.text()).toContain('"usage":{"total_tokens":70}');
    await expect.poll(() => used(url), PATIENCE).toEqual(counts(1, 70, 0));
  });

  it("settles the usage of its own stand-in for a model", async () => {
    const model = await startProcess("model", { MS_PER_WORD: "1" });
    const url = await startProcess("server", { UPSTREAM_URL: model });
    for (const [user, words] of [
      ["ann", 10],
      ["bob", 300],
    ] as const) {
      const text = await (await chat(url, words, { user })).text();
      expect(text.match(/"content"/g)).toHaveLength(words);
      await expect.poll(() => used(url, user), PATIENCE).toEqual(counts(1, 5 + 1.5 * words, 0));
    }
  });

  it("lets an API key have two streams at once, and denies the third with 429", async () => {
    const { model, url } = await startGateway();
    const asked = await Promise.all([chat(url, 100), chat(url, 100), chat(url, 100)]);
    const denied = asked.filter(({ status }) => status === 429);
    expect([denied.length, denied[0]?.headers.get("ratelimit")]).toEqual([1, '"streams";r=0']);
    expect(Number(denied[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await used(url)).toEqual(counts(2, 2 * (PROMPT + 100), 2));
    const other = await chat(url, 100, { user: "bob" });
    expect(other.status).toBe(200);
    model.finish();
    await Promise.all([...asked, other].map((answer) => answer.text()));
    await expect.poll(() => used(url), PATIENCE).toEqual(counts(2, 140, 0));
    expect((await chat(url, 100)).status).toBe(200);
  });

  it("charges while it streams what an answer has beyond the estimate", async () => {
    const { model, url } = await startGateway();
    model.parts = 310;
    const answer = await chat(url, 900);
    await expect.poll(async () => (await used(url))["tokens"], PATIENCE).toBeGreaterThanOrEqual(PROMPT + 310);
    expect(await used(url)).toMatchObject({ requests: 1, "concurrent-requests": 1 });
    model.finish();
    await answer.text();
    await expect.poll(() => used(url), PATIENCE).toEqual(counts(1, 70, 0));
  });

  it("settles what was streamed to a client that hangs up, frees its place and stops the upstream", async () => {
    const { model, url } = await startGateway();
    const hangUps = [new AbortController(), new AbortController()];
    const answers = await Promise.all(hangUps.map(({ signal }) => chat(url, 100, { signal })));
    for (const answer of answers) await readParts(answer, model.parts);
    expect((await chat(url, 100)).status).toBe(429);
    for (const hangUp of hangUps) hangUp.abort();
    await expect.poll(() => used(url), PATIENCE).toEqual(counts(2, 2 * (PROMPT + 3), 0));
    await expect.poll(() => model.abandoned, PATIENCE).toBe(2);
    expect((await chat(url, 100)).status).toBe(200);
  });

  it("refunds the tokens when the upstream fails, and asks for an API key", async () => {
    const { url } = await startGateway();
    expect((await chat(url, 13)).status).toBe(502);
    await expect.poll(() => used(url), PATIENCE).toEqual(counts(1, 0, 0));
    expect((await fetch(`${url}/v1/limits`)).status).toBe(401);
  });
});
