import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createLimiter, perMinute } from "tollgate";
import { type ClientIpOptions, clientIp, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";

interface Lists extends ClientIpOptions {
  readonly allowList?: readonly string[];
  readonly denyList?: readonly string[];
}

/** The result for a client whose second request the limiter denies. */
function resultFor(
  { allowList, denyList, ...ofClients }: Lists,
  peer: string | undefined,
  forwarded?: string,
): "passes" | "refused" | "limited" {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: peer });
  const request = new IncomingMessage(socket);
  request.method = "GET";
  request.url = "/";
  if (forwarded !== undefined) request.headers[ofClients.addressHeader ?? "x-forwarded-for"] = forwarded;
  const finds = Object.keys(ofClients).length > 0 && { clientIp: clientIp(ofClients) };
  const lists = { ...(allowList && { allowList }), ...(denyList && { denyList }), ...finds };
  const handler = rateLimit({ limiter, ...lists })((_request, response) => void response.writeHead(200));
  let statuses: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    const response = new ServerResponse(request);
    handler(request, response);
    statuses = [...statuses, response.statusCode];
  }
  const results = { "200,200": "passes", "403,403": "refused", "200,429": "limited" } as const;
  return results[statuses.join() as keyof typeof results];
}

const CASES: readonly (readonly [lists: Lists, peer: string | undefined, forwarded: string | undefined, string])[] = [
  [{}, "192.0.2.1", undefined, "limited"],
  [{ allowList: [], denyList: [] }, "192.0.2.1", undefined, "limited"],
  [{ allowList: ["192.0.2.1"] }, "192.0.2.1", undefined, "passes"],
  [{ allowList: ["192.0.2.1"] }, "192.0.2.2", undefined, "limited"],
  [{ denyList: ["192.0.2.1"] }, "192.0.2.1", undefined, "refused"],
  [{ denyList: ["192.0.2.1"] }, "192.0.2.2", undefined, "limited"],
  [{ denyList: ["192.0.2.0/24"] }, "192.0.2.255", undefined, "refused"],
  [{ denyList: ["192.0.2.0/24"] }, "192.0.3.0", undefined, "limited"],
  [{ denyList: ["198.51.100.0/24", "192.0.2.0/24"] }, "192.0.2.7", undefined, "refused"],
  [{ allowList: ["192.0.2.1"], denyList: ["192.0.2.0/24"] }, "192.0.2.1", undefined, "passes"],
  [{ allowList: ["192.0.2.1"], denyList: ["192.0.2.0/24"] }, "192.0.2.2", undefined, "refused"],
  [{ denyList: ["192.0.2.0/24"] }, "::ffff:192.0.2.1", undefined, "refused"],
  [{ denyList: ["192.0.2.0/24"] }, "2002:c000:201::1", undefined, "refused"],
  // Lists compare whole addresses, not networks.
  [{ denyList: ["2001:db8::1"] }, "2001:db8::1", undefined, "refused"],
  [{ denyList: ["2001:db8::1"] }, "2001:db8::2", undefined, "limited"],
  [{ denyList: ["2001:db8::/127"] }, "2001:db8::2", undefined, "limited"],
  [{ allowList: ["loopback"] }, "127.9.9.9", undefined, "passes"],
  [{ allowList: ["private"] }, "192.168.1.1", undefined, "passes"],
  [{ allowList: ["private"] }, "2002:c0a8:101::1", undefined, "limited"],
  [{ allowList: ["0.0.0.0/0", "::/0"], denyList: ["private"] }, undefined, undefined, "limited"],
  [{ denyList: ["0.0.0.0/0", "::/0"] }, undefined, undefined, "limited"],
  // By default no hop is trusted.
  [{ allowList: ["192.0.2.1"] }, "198.51.100.1", "192.0.2.1", "limited"],
  [{ allowList: ["private"] }, "198.51.100.1", "10.0.0.1", "limited"],
  [{ denyList: ["192.0.2.1"] }, "10.0.0.1", "192.0.2.1", "limited"],
  [{ allowList: ["192.0.2.1"], trustProxy: "private" }, "198.51.100.1", "192.0.2.1", "limited"],
  [{ allowList: ["192.0.2.1"], trustProxy: "private" }, "10.0.0.1", "192.0.2.1", "passes"],
  [{ allowList: ["192.0.2.1"], trustProxy: 1 }, "10.0.0.1", "192.0.2.1, 198.51.100.1", "limited"],
  [{ denyList: ["192.0.2.1"], trustProxy: 1 }, "10.0.0.1", "198.51.100.1, 192.0.2.1", "refused"],
  [{ denyList: ["192.0.2.1"], trustProxy: ["10.0.0.0/8"] }, "10.0.0.1", "192.0.2.1, 10.0.0.2", "refused"],
  [{ denyList: ["10.0.0.1"], trustProxy: 1 }, "10.0.0.1", "garbage", "refused"],
];

const REAL_IP: Lists = { trustProxy: "loopback", allowList: ["loopback"], addressHeader: "x-real-ip" };
const OURS: Lists = { trustProxy: "private", allowList: ["private"] };

/** A listed proxy that forwards a client without a readable address. */
const HIDDEN: typeof CASES = [
  [REAL_IP, "127.0.0.1", undefined, "limited"],
  [REAL_IP, "127.0.0.1", "127.0.0.2", "passes"],
  [REAL_IP, "127.0.0.1", "zzz, 1.2.3.4", "limited"],
  [REAL_IP, "127.0.0.1", "127.0.0.2, 127.0.0.3", "limited"],
  [REAL_IP, "127.0.0.1", "", "limited"],
  [OURS, "10.0.0.1", undefined, "limited"],
  [OURS, "10.0.0.1", "10.0.0.3, 10.0.0.2", "passes"],
  [OURS, "10.0.0.1", ",10.0.0.2,", "limited"],
  [OURS, "10.0.0.1", "unknown", "limited"],
  [OURS, "10.0.0.1", "10.0.0.3, 10.0.0.x, 10.0.0.2", "limited"],
  [OURS, "10.0.0.1", "", "limited"],
  [OURS, "10.0.0.1", ", ,", "limited"],
  [OURS, "10.0.0.1", "8.8.8.8, 10.0.0.2", "limited"],
  [{ ...OURS, trustProxy: 1 }, "10.0.0.1", "garbage, 10.0.0.2", "passes"],
  [{ ...OURS, trustProxy: 2 }, "10.0.0.1", "garbage, 10.0.0.2", "limited"],
  [{ ...OURS, trustProxy: 2 }, "10.0.0.1", "10.0.0.2", "passes"],
  [OURS, "10.0.0.1", `10.0.0.3${", 10.0.0.2".repeat(99)}`, "passes"],
  [OURS, "10.0.0.1", `8.8.8.8${", 10.0.0.2".repeat(100)}`, "limited"],
  [OURS, "10.0.0.1", `8.8.8.8${" ".repeat(9_000)}, 10.0.0.2`, "limited"],
  [{ ...OURS, addressHeader: "forwarded" }, "10.0.0.1", "for=10.0.0.2", "passes"],
  [{ ...OURS, addressHeader: "forwarded" }, "10.0.0.1", "proto=https", "limited"],
  [{ ...OURS, denyList: ["10.0.0.1"] }, "10.0.0.1", undefined, "refused"],
  [{ ...OURS, denyList: ["10.0.0.2"] }, "10.0.0.1", "unknown, 10.0.0.2", "refused"],
];

describe("allowList and denyList", () => {
  it.each([...CASES, ...HIDDEN])(
    "with %j, a client from %s with the header %s: %s",
    (lists, peer, forwarded, expected) => {
      expect(resultFor(lists, peer, forwarded)).toBe(expected);
    },
  );

  it.each<[Record<string, unknown>, string]>([
    [{ denyList: ["::1", "evil"] }, 'denyList: expected addresses, CIDR blocks, "loopback" or "private", got "evil"'],
    [{ allowList: ["::1"], clientIp: () => "192.0.2.1" }, "clientIp: expected what clientIp() returns, got a function"],
  ])("refuse %j", (lists, message) => {
    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
    expect(() => rateLimit({ limiter, ...(lists as Lists) })).toThrow(
      expect.objectContaining({ code: "ERR_OPTION", message }),
    );
  });
});
