import { TollgateError } from "tollgate";
import { describe, expect, it } from "vitest";
import { clientFailure, isUnknownScript } from "../../../../src/stores/redis/clients/client-failure.ts";

function errorOf(message: string, more: object = {}): Error {
  return Object.assign(new Error(message), more);
}

const NO_CONNECTION: readonly (readonly [Error, string])[] = [
  // Node
  [errorOf("connect ECONNREFUSED 10.1.2.3:6379", { code: "ECONNREFUSED" }), "connection refused"],
  [errorOf("", { name: "AggregateError", code: "ECONNREFUSED" }), "connection refused"],
  [errorOf("read ECONNRESET", { code: "ECONNRESET" }), "connection lost"],
  [errorOf("write EPIPE", { code: "EPIPE" }), "connection lost"],
  [errorOf("ECONNRESET"), "connection lost"],
  [errorOf("getaddrinfo ENOTFOUND redis.internal", { code: "ENOTFOUND" }), "host not found"],
  [errorOf("connect EHOSTUNREACH 10.1.2.3:6379", { code: "EHOSTUNREACH" }), "host unreachable"],
  [errorOf("connect ETIMEDOUT", { code: "ETIMEDOUT" }), "timed out"],
  // ioredis and iovalkey
  [errorOf("Connection is closed."), "the client is closed"],
  [errorOf("Stream isn't writeable and enableOfflineQueue options is false"), "not connected"],
  [errorOf("Cluster isn't ready and enableOfflineQueue options is false"), "no node answers"],
  [
    errorOf("Reached the max retries per request limit (which is 20). Refer to", { name: "MaxRetriesPerRequestError" }),
    "connection lost",
  ],
  [errorOf("Too many Cluster redirections. Last error: ReplyError: MOVED 1 10.1.2.3:6379"), "too many redirections"],
  [errorOf("None of startup nodes is available"), "no node answers"],
  [errorOf("Failed to refresh slots cache."), "no node answers"],
  [errorOf("Command aborted due to connection close", { name: "AbortError" }), "connection lost"],
  [errorOf("Command timed out"), "timed out"],
  [errorOf("All sentinels are unreachable. Last error: connect ECONNREFUSED"), "connection refused"],
  [errorOf("Socket timeout. Expecting data, but didn't receive any in 100ms."), "timed out"],
  // redis
  [errorOf("The client is closed"), "the client is closed"],
  [errorOf("The client is offline"), "not connected"],
  [errorOf("Socket closed unexpectedly"), "connection lost"],
  [errorOf("Connection timeout"), "timed out"],
  [errorOf("The queue is full"), "the client has too much under way"],
  [errorOf("All the root nodes are unavailable"), "no node answers"],
  [errorOf("None of the sentinels are available"), "no sentinel answers"],
  // Glide
  [errorOf("timed out", { name: "TimeoutError" }), "timed out"],
  [
    errorOf(
      "Received connection error `Failed to receive a response due to a fatal error - x`. Will attempt to reconnect",
    ),
    "connection lost",
  ],
  [errorOf("Unable to execute requests; the client is closed. Please create a new client."), "the client is closed"],
  [errorOf("Reached maximum inflight requests"), "the client has too much under way"],
  [errorOf("x", { name: "CircuitBreakerError" }), "the client's circuit breaker is open"],
  [errorOf("x", { name: "ConnectionError" }), "connection failed"],
  // fetch
  [new TypeError("fetch failed", { cause: errorOf("", { code: "ECONNREFUSED" }) }), "connection refused"],
  [new TypeError("fetch failed"), "connection failed"],
  // pg and postgres
  [errorOf("timeout exceeded when trying to connect"), "timed out"],
  [errorOf("Connection terminated unexpectedly"), "connection lost"],
  [errorOf("Cannot use a pool after calling end on the pool"), "the client is closed"],
  [errorOf("Client has encountered a connection error and is not queryable"), "the client is closed"],
  [errorOf("write CONNECT_TIMEOUT 10.1.2.3:5432", { code: "CONNECT_TIMEOUT" }), "timed out"],
  [errorOf("write CONNECTION_CLOSED 10.1.2.3:5432", { code: "CONNECTION_CLOSED" }), "connection lost"],
  [errorOf("write CONNECTION_ENDED 10.1.2.3:5432", { code: "CONNECTION_ENDED" }), "the client is closed"],
  // Unknown clients
  [errorOf("10.1.2.3 said something else"), "the client failed"],
];

describe("clientFailure", () => {
  it.each(NO_CONNECTION)("the error %s means that the server is unavailable: %s", (error, cause) => {
    expect(clientFailure(error)).toEqual({ kind: "unavailable", cause });
  });

  it.each([
    ["LOADING Redis is loading the dataset in memory", "the server is loading its data"],
    ["MOVED 1 10.1.2.3:6379", "the slot has moved"],
    // Glide.
    ["An error was signalled by the server: - BusyLoadingError: Redis is loading", "the server is loading its data"],
    ["An error was signalled by the server: - ResponseError: max number of clients reached", "the server refuses more"],
    // Upstash.
    ['ERR max daily request limit exceeded., command was: ["evalsha"]', "the server refuses more"],
    ["Command failed: LOADING x", "the server is loading its data"],
  ])("the reply %j means that the server is unavailable: %s", (message, cause) => {
    expect(clientFailure(errorOf(message))).toEqual({ kind: "unavailable", cause });
  });

  it.each([
    ["READONLY", "the server is a replica"],
    ["MISCONF Redis is configured to save RDB snapshots", "the server cannot save its data"],
    ["NOREPLICAS Not enough good replicas to write.", "the primary has too few replicas"],
    [
      "ERR The user executing the script can't run this command or subcommand script: f_1",
      "the server does not permit the command",
    ],
    ["NOPERM this user has no permissions to run the 'evalsha' command", "the server does not permit the command"],
    // Before Redis 7 the code of the command is in the middle.
    [
      "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not allowed when used memory",
      "the server is out of memory",
    ],
    // Glide.
    ["OOM: command not allowed", "the server is out of memory"],
  ])("the reply %j means that the server rejected the command: %s", (message, cause) => {
    expect(clientFailure(errorOf(message))).toEqual({ kind: "rejected", cause });
  });

  it.each([
    errorOf("WRONGTYPE Operation against a key holding the wrong kind of value"),
    errorOf("NOAUTH Authentication required."),
    errorOf("WRONGPASS invalid username-password pair or user is disabled."),
    errorOf("ERR unknown command 'evalsha'"),
    errorOf("ERR Error running script (call to f_1): @user_script:1: attempt to index a nil value"),
    errorOf("CROSSSLOT Keys in request don't hash to the same slot"),
    errorOf("EXECABORT x"),
    errorOf("An error was signalled by the server: - CrossSlot: Keys in request don't hash to the same slot"),
    errorOf("Connection in subscriber mode, only subscriber commands may be used"),
    errorOf("Unauthorized: x"),
    new TypeError("Cannot read properties of undefined"),
    new RangeError("Maximum call stack size exceeded"),
    new TollgateError("ERR_STORE", "client: timed out, for all it knows"),
    "ECONNREFUSED",
    undefined,
  ])("the error %s is a fault", (error) => {
    expect(clientFailure(error)).toEqual({ kind: "fault" });
  });
});

describe("isUnknownScript", () => {
  it.each([
    ["NOSCRIPT No matching script. Please use EVAL.", true],
    ["An error was signalled by the server: - NoScriptError: No matching script. Please use EVAL.", true],
    ['NOSCRIPT No matching script. Please use EVAL., command was: ["evalsha"]', true],
    ["Command failed: NOSCRIPT No matching script.", true],
    // An error of the script itself, which may have written something.
    ["ERR user_script:1: NOSCRIPT", false],
    ["connect ECONNREFUSED", false],
  ])("isUnknownScript of %j is %s", (message, expected) => {
    expect(isUnknownScript(errorOf(message))).toBe(expected);
  });
});
