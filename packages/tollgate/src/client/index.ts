export { DeniedError } from "../limiter/outgoing-work.ts";
export { type Fetch, type LimitedFetch, type LimitedFetchOptions, limitedFetch } from "./limited-fetch.ts";
