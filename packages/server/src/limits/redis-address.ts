/** Where Redis is. */
export type RedisAddress =
  | { readonly kind: "single"; readonly url: string }
  | { readonly kind: "cluster"; readonly urls: readonly string[] }
  | { readonly kind: "sentinel"; readonly hosts: readonly RedisHost[]; readonly name: string };

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

const SENTINEL = /^redis\+sentinel:\/\/([^/]+)\/([\w.-]+)$/;
const SENTINEL_PORT = 26_379;

/**
 * Reads the address of a server, as `redis://host:6379/0` or with `rediss:` for TLS, of a Cluster, as several of them
 * with commas between them, or of Sentinels, as `redis+sentinel://host:26379,host:26379/name`.
 *
 * @returns `undefined` if the text is not such an address.
 */
export function redisAddress(text: string): RedisAddress | undefined {
  const [, hosts, name] = SENTINEL.exec(text) ?? [];
  if (hosts !== undefined && name !== undefined) {
    const known = hosts.split(",").map(sentinelHost);
    return known.every((host) => host !== undefined) ? { kind: "sentinel", hosts: known, name } : undefined;
  }
  const urls = text.split(",");
  if (!urls.every(isRedisUrl)) return undefined;
  return urls.length === 1 ? { kind: "single", url: text } : { kind: "cluster", urls };
}

function sentinelHost(text: string): RedisHost | undefined {
  const url = `redis://${text}`;
  if (!isRedisUrl(url)) return undefined;
  const { hostname, port } = new URL(url);
  // A URL has brackets around an IPv6 address, a socket does not.
  return { host: hostname.replaceAll(/^\[|\]$/g, ""), port: port === "" ? SENTINEL_PORT : Number(port) };
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "redis:" || protocol === "rediss:") && hostname !== "";
}
