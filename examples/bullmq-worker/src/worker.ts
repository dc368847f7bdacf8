import { Queue, RateLimitError, Worker } from "bullmq";
import { Redis } from "ioredis";
import { upstreamLimiter } from "./limits.js";
import { type Mail, QUEUE, send } from "./mails.js";

const redisUrl = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";
const upstreamUrl = process.env["UPSTREAM_URL"] ?? "http://127.0.0.1:8080/mails";
const client = new Redis(redisUrl);
client.on("error", ({ message }: Error) => console.error(message));
const limiter = upstreamLimiter(client, Number(process.env["MAILS_PER_SECOND"] ?? 10));

const connection = { url: redisUrl };
const queue = new Queue<Mail>(QUEUE, { connection });
const worker = new Worker<Mail>(
  QUEUE,
  async ({ data }) => {
    // A mail costs as many units as it has recipients.
    const decision = await limiter.consume("upstream", { mails: data.recipients.length });
    if (!decision.allowed) {
      if (decision.reason === "cost-over-capacity") throw new Error("more recipients than the upstream ever takes");
      // All workers of the queue rest until this mail fits, and the job goes back without having failed.
      await queue.rateLimit(Math.ceil(decision.retryAfterMs));
      throw new RateLimitError();
    }
    await send(upstreamUrl, data);
  },
  // BullMQ heeds `queue.rateLimit` only in workers with a limit; this one is never reached.
  { connection, concurrency: 8, limiter: { max: 1_000_000, duration: 1_000 } },
);
worker.on("error", ({ message }) => console.error(message));
await worker.waitUntilReady();
console.log("ready");

/** Jobs that have begun are finished first. */
async function close(): Promise<void> {
  await worker.close();
  await queue.close();
  client.disconnect();
}
process.once("SIGTERM", () => void close());
