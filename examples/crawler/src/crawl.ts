import { createLimiter, perSecond } from "tollgate";
import { limitedFetch } from "tollgate/limited-fetch";
import { linksOf } from "./links.js";

const pagesPerSecond = Number(process.env["PAGES_PER_SECOND"] ?? 1);
const mostPages = Number(process.env["MOST_PAGES"] ?? 100);

// The key of a request is its host. No burst: the requests of a second come one after another.
const limiter = createLimiter({ limits: [perSecond(pagesPerSecond, { burst: 1 })] });
const politeFetch = limitedFetch(limiter, { retries: 5, learn: true });

const found = new Set<string>();

async function visit(url: string): Promise<void> {
  if (found.has(url) || found.size === mostPages) return;
  found.add(url);
  const response = await politeFetch(url);
  const text = await response.text();
  console.log(`${response.status} ${url}`);
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  const links = isPage ? linksOf(text, response.url) : [];
  await Promise.allSettled(links.map(visit));
}

await Promise.allSettled(process.argv.slice(2).map((start) => visit(new URL(start).href)));
console.log(`${found.size} pages`);
