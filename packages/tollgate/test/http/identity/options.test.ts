import { type ClientIpOptions, clientIp } from "tollgate/node";
import { describe, expect, it } from "vitest";

const NO_TRUST =
  'expected false, a number of hops from 0 to 100, "loopback", "private" or a list of addresses and CIDR blocks';
const NO_ENTRY = 'expected addresses, CIDR blocks, "loopback" or "private"';

const REFUSED: readonly (readonly [options: unknown, message: string])[] = [
  [{ max: 1 }, 'clientIp: unknown option "max"; expected trustProxy, ipv6Prefix, addressHeader, warnings'],
  [{ trustProxy: 1, header: "cf-connecting-ip" }, 'clientIp: unknown option "header"; it is called addressHeader'],
  [
    { addressHeader: "cf-connecting-ip" },
    'addressHeader: expected a trustProxy beside it, which says whose header is read, got "cf-connecting-ip"',
  ],
  [{ trustProxy: true }, `trustProxy: ${NO_TRUST}, got true, which would trust any address that a client sends`],
  [{ trustProxy: -1 }, `trustProxy: ${NO_TRUST}, got -1`],
  [{ trustProxy: 101 }, `trustProxy: ${NO_TRUST}, got 101`],
  [{ trustProxy: "10.0.0.0/8" }, `trustProxy: ${NO_TRUST}, got "10.0.0.0/8"`],
  [{ trustProxy: "Loopback" }, `trustProxy: ${NO_TRUST}, got "Loopback"`],
  [{ trustProxy: [""] }, `trustProxy: ${NO_ENTRY}, got ""`],
  [{ trustProxy: ["10.0.0.0/8", "proxy"] }, `trustProxy: ${NO_ENTRY}, got "proxy"`],
  [{ trustProxy: ["10.0.0.0/33"] }, `trustProxy: ${NO_ENTRY}, got "10.0.0.0/33"`],
  [{ trustProxy: ["::/129"] }, `trustProxy: ${NO_ENTRY}, got "::/129"`],
  [{ trustProxy: ["10.0.0.0/08"] }, `trustProxy: ${NO_ENTRY}, got "10.0.0.0/08"`],
  [{ trustProxy: ["10.0.0.0/-1"] }, `trustProxy: ${NO_ENTRY}, got "10.0.0.0/-1"`],
  [{ trustProxy: ["10.0.0.0/255.0.0.0"] }, `trustProxy: ${NO_ENTRY}, got "10.0.0.0/255.0.0.0"`],
  [{ trustProxy: ["010.0.0.0/8"] }, `trustProxy: ${NO_ENTRY}, got "010.0.0.0/8"`],
  [{ trustProxy: [" 10.0.0.0/8"] }, `trustProxy: ${NO_ENTRY}, got " 10.0.0.0/8"`],
  [{ trustProxy: ["[::1]"] }, `trustProxy: ${NO_ENTRY}, got "[::1]"`],
  [{ trustProxy: ["10.0.0.1:80"] }, `trustProxy: ${NO_ENTRY}, got "10.0.0.1:80"`],
  [{ trustProxy: ["fe80::1%eth0"] }, `trustProxy: ${NO_ENTRY}, got "fe80::1%eth0"`],
  // Half of the lists of networks that people copy have these.
  [
    { trustProxy: ["::ffff:0:0/96"] },
    `trustProxy: ${NO_ENTRY}, and IPv4 in its own form, such as "0.0.0.0/0", got "::ffff:0:0/96"`,
  ],
  [
    { trustProxy: ["64:ff9b::/96"] },
    `trustProxy: ${NO_ENTRY}, and IPv4 in its own form, such as "0.0.0.0/0", got "64:ff9b::/96"`,
  ],
  [
    { trustProxy: ["2002::/16"] },
    `trustProxy: ${NO_ENTRY}, and IPv4 in its own form, such as "0.0.0.0/0", got "2002::/16"`,
  ],
  // These would mean something else than their authors think, or half of it.
  ...(
    [
      ["::ffff:0.0.0.0/0", "0.0.0.0/0"],
      ["::ffff:10.0.0.1/32", "10.0.0.1/32"],
      ["::ffff:10.0.0.1/95", "10.0.0.1/32"],
      ["2002::/15", "0.0.0.0/15"],
      ["2002:800::/22", "8.0.0.0/6"],
      ["2002:c0a8:1::/18", "192.168.0.1/2"],
      ["64:ff9b::172.0.0.0/104", "172.0.0.0/8"],
    ] as const
  ).map(
    ([entry, instead]) =>
      [
        { trustProxy: [entry] },
        `trustProxy: ${NO_ENTRY}, and IPv4 in its own form, such as "${instead}", got "${entry}"`,
      ] as const,
  ),
  [{ ipv6Prefix: 0 }, "ipv6Prefix: expected a whole number from 1 to 128, got 0"],
  [{ ipv6Prefix: 129 }, "ipv6Prefix: expected a whole number from 1 to 128, got 129"],
  [{ trustProxy: 1, addressHeader: "" }, 'addressHeader: expected the name of a header, got ""'],
  [{ trustProxy: 1, addressHeader: "x real ip" }, 'addressHeader: expected the name of a header, got "x real ip"'],
  [{ trustProxy: 1, addressHeader: ["x-real-ip"] }, "addressHeader: expected the name of a header, got an array"],
];

describe("clientIp", () => {
  it.each([
    ["192.0.2.1", '"192.0.2.1"'],
    [undefined, "undefined"],
    [null, "null"],
    [7, "7"],
    [{ socket: { remoteAddress: "192.0.2.1" } }, "an object; factsOf(request) makes them"],
  ])("refuses what is no request: %j", (input, got) => {
    const message = `clientIp: expected the facts of a request (HttpFacts), got ${got}`;
    for (const key of [clientIp(), clientIp({ trustProxy: 1 })]) {
      expect(() => key(input as never)).toThrow(expect.objectContaining({ code: "ERR_KEY", message }));
    }
  });
});

describe("the options of clientIp", () => {
  it.each(REFUSED)("refuse %j", (options, message) => {
    const build = () => clientIp(options as ClientIpOptions);
    expect(build).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
  });

  it.each<[ClientIpOptions]>([
    [{}],
    [{ trustProxy: 100, ipv6Prefix: 1 }],
    [{ trustProxy: [], ipv6Prefix: 128 }],
    [{ trustProxy: ["loopback", "private", "1.2.3.4", "::1", "0.0.0.0/0", "::/0"], addressHeader: "True-Client-IP" }],
  ])("accept %j", (options) => {
    expect(clientIp(options)).toBeTypeOf("function");
  });

  it("are copied at construction", () => {
    const trustProxy = ["10.0.0.0/8"];
    const key = clientIp({ trustProxy });
    trustProxy[0] = "0.0.0.0/0";
    const facts = { method: "GET", path: "/", remoteAddress: "8.8.8.8", header: () => "6.6.6.6" };
    expect(key(facts)).toBe("8.8.8.8");
  });
});
