import { clientIp } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { factsFrom } from "./facts.ts";

/** The address of the socket's peer, and its key by default. */
const SPELLINGS: readonly (readonly [peer: string | undefined, key: string])[] = [
  // IPv4
  ["1.2.3.4", "1.2.3.4"],
  ["0.0.0.0", "0.0.0.0"],
  ["1.2.3.4:567", "1.2.3.4"],
  ["1.2.3.4:_hidden", "1.2.3.4"],
  // IPv4-mapped
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["::fFfF:1.2.3.4", "1.2.3.4"],
  ["::ffff:102:304", "1.2.3.4"],
  ["0:0:0:0:0:ffff:102:304", "1.2.3.4"],
  ["0000:0000:0000:0000:0000:ffff:0102:0304", "1.2.3.4"],
  ["::ffff:ffff:ffff", "255.255.255.255"],
  ["::ffff:1.2.3.4%eth0", "1.2.3.4"],
  ["[::ffff:1.2.3.4]:80", "1.2.3.4"],
  // NAT64
  ["64:ff9b::1.2.3.4", "1.2.3.4"],
  ["64:ff9b::102:304", "1.2.3.4"],
  ["[64:ff9b::1.2.3.4]:443", "1.2.3.4"],
  ["64:ff9b:1::1.2.3.4", "64:ff9b:1::/64"],
  ["64:ff9b:0:0:0:1:102:304", "64:ff9b::/64"],
  ["64:ff9a::1.2.3.4", "64:ff9a::/64"],
  // 6to4
  ["2002:102:304::1", "1.2.3.4"],
  ["2002:0102:0304:5:6:7:8:9", "1.2.3.4"],
  ["2002::", "0.0.0.0"],
  ["2003:102:304::1", "2003:102:304::/64"],
  // IPv6 by its network
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8::/64"],
  ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4::/64"],
  ["1::1.2.3.4", "1::/64"],
  ["::1", "::/64"],
  ["::", "::/64"],
  ["[2001:db8::1]:443", "2001:db8::/64"],
  ["[2001:db8::1]:_port", "2001:db8::/64"],
  ["fe80::1%eth0", "fe80::/64"],
  ["fe80::1%25eth0", "fe80::/64"],
  ["[fe80::1%en-0.5]:8080", "fe80::/64"],
  // Forms of IPv4 that were given up, whatever the spelling
  ["::1.2.3.4", "::/64"],
  ["::ffff:0:1.2.3.4", "::/64"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:4136:e378::/64"],
  // No address
  [undefined, "unknown"],
  ["", "unknown"],
  ["unknown", "unknown"],
  ["/run/app.sock", "unknown"],
  ["127.1", "unknown"],
  ["16909060", "unknown"],
  ["1.2.3.4.", "unknown"],
  ["1.2.3.256", "unknown"],
  ["010.0.0.1", "unknown"],
  ["0x1.2.3.4", "unknown"],
  ["１.2.3.4", "unknown"],
  ["1.2.3.4\n", "unknown"],
  ["1.2.3.4/32", "unknown"],
  ["1.2.3.4%eth0", "unknown"],
  ["1.2.3.4:", "unknown"],
  ["[1.2.3.4]", "unknown"],
  ["[::1", "unknown"],
  ["[::1]:", "unknown"],
  ["[::1]:1:2", "unknown"],
  ["1::2::3", "unknown"],
  ["1:2:3:4:5:6:7::8", "unknown"],
  ["::00001", "unknown"],
  ["::ffff:1.2.3.04", "unknown"],
  ["::1.2.3.4:5", "unknown"],
  ["1:2:3:4:5:6:7:1.2.3.4", "unknown"],
  ["fe80::1%", "unknown"],
  ["fe80::1%eth 0", "unknown"],
  [`fe80::1%${"e".repeat(200)}`, "unknown"],
  ["::1".padStart(5_000, "0"), "unknown"],
];

describe("clientIp and the address of the peer", () => {
  it.each(SPELLINGS)("counts %j as %s", (peer, key) => {
    expect(clientIp()(factsFrom(peer))).toBe(key);
    // Walking through hops must not read addresses differently.
    expect(clientIp({ trustProxy: ["198.18.0.0/15"] })(factsFrom(peer))).toBe(key);
  });
});
