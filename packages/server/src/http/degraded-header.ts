/** The header of a response whose decision was made without the store. Its value is the cause. */
export const DEGRADED_HEADER = "X-RateLimit-Degraded";
