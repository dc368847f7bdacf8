export { DeniedError } from "../limiter/waiting/denied-error.ts";
export { type Fetch, type LimitedFetch, type LimitedFetchOptions, limitedFetch } from "./limited-fetch.ts";
