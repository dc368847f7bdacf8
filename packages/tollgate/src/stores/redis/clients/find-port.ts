import { show, TollgateError } from "../../../core/errors.ts";
import { EXPECTED_CLIENT } from "./check-client.ts";
import { type GlideClient, GlidePort, portOfCommands } from "./glide.ts";
import { type IoredisClient, type IoredisCluster, IoredisPort } from "./ioredis.ts";
import { type NodeRedisClient, type NodeRedisCluster, NodeRedisPort, type NodeRedisSentinel } from "./node-redis.ts";
import type { RedisPort, RedisScript } from "./redis-port.ts";
import type { CommandsStoreClient } from "./store-client.ts";
import { type UpstashClient, UpstashPort } from "./upstash.ts";

/**
 * The port of a client. It recognises a client by its methods, because minifiers change the names of classes.
 *
 * @throws TollgateError `ERR_OPTION` for an unknown client, or one whose options do not fit.
 */
export function findPort(client: unknown, script: RedisScript): RedisPort {
  if (isIoredis(client)) return new IoredisPort(client, script);
  if (isNodeRedisSentinel(client)) return NodeRedisPort.ofSentinel(client, script);
  if (isNodeRedisCluster(client)) return NodeRedisPort.ofCluster(client, script);
  if (isNodeRedis(client)) return NodeRedisPort.ofClient(client, script);
  if (isGlide(client)) return new GlidePort(client, "single", script);
  if (isGlideCluster(client)) return new GlidePort(client, "cluster", script);
  if (isUpstash(client)) return new UpstashPort(client, script);
  if (isCommands(client)) return portOfCommands(client, script);
  throw new TollgateError(
    "ERR_OPTION",
    `client: expected ${EXPECTED_CLIENT}, got ${show(client)}; write client: new Redis(address)`,
  );
}

function isIoredis(client: unknown): client is IoredisClient | IoredisCluster {
  if (!has(client, ["evalsha", "eval", "ping", "on", "off"])) return false;
  if (typeof client["status"] !== "string" || typeof client["options"] !== "object") return false;
  return client["isCluster"] === true ? has(client, ["nodes"]) : client["isCluster"] === false && has(client, ["scan"]);
}

function isNodeRedisSentinel(client: unknown): client is NodeRedisSentinel {
  return has(client, ["sendCommand", "acquire", "use"]) && typeof client["isOpen"] === "boolean";
}

function isNodeRedisCluster(client: unknown): client is NodeRedisCluster {
  return has(client, ["sendCommand", "nodeClient"]) && Array.isArray(client["masters"]);
}

/** With `legacyMode`, version 4 returns no promises. */
function isNodeRedis(client: unknown): client is NodeRedisClient {
  if (!has(client, ["sendCommand", "evalSha"]) || typeof client["isOpen"] !== "boolean") return false;
  const { options } = client as { options?: { legacyMode?: unknown } };
  return options?.legacyMode !== true;
}

function isGlide(client: unknown): client is GlideClient {
  return has(client, ["customCommand", "invokeScript"]) && !has(client, ["invokeScriptWithRoute"]);
}

function isGlideCluster(client: unknown): client is GlideClient {
  return has(client, ["customCommand", "invokeScriptWithRoute"]);
}

/** A client with `on` is another one, with callbacks. */
function isUpstash(client: unknown): client is UpstashClient {
  return has(client, ["evalsha", "eval", "scan"]) && !has(client, ["on"]);
}

/** Clients of libraries have more than this function: they are unknown, or in a mode that does not fit. */
function isCommands(client: unknown): client is CommandsStoreClient {
  return has(client, ["sendCommand"]) && !["on", "connect", "eval", "evalsha"].some((member) => member in client);
}

/** Whether the client is an object with all these methods. */
function has(client: unknown, methods: readonly string[]): client is Readonly<Record<string, unknown>> {
  if (typeof client !== "object" || client === null) return false;
  const members = client as Readonly<Record<string, unknown>>;
  return methods.every((method) => typeof members[method] === "function");
}
