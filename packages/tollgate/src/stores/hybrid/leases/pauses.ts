// For how long a key does not ask the server.

/** A renewal that failed is not repeated for so long, unless a call waits. */
export const PAUSE_AFTER_FAILURE_US = 100_000;
/** A key whose capacity is too small for its nodes is asked call by call for so many times a lease's worth. */
export const STRICT_CHUNKS = 20;
