import { concurrency, createLimiter, slidingWindow } from "tollgate";

/** The streams that an API key may have at once. */
export const MAX_STREAMS = 2;

/** What an API key may ask and use in a minute, and how much of it at once. */
export const limiter = createLimiter({
  name: "llm",
  limits: [
    slidingWindow({ limit: 20, window: "1m" }),
    slidingWindow({ limit: 2_000, window: "1m", unit: "tokens" }),
    // If this process crashes, its places in a shared store are free again after 10 seconds.
    concurrency({ name: "streams", max: MAX_STREAMS, ttl: "10s" }),
  ],
});
