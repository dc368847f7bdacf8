import { describe, expect, it } from "vitest";
import { bytesOf, textOf } from "../../src/replay/bytes.ts";
import type { Details, LogFormat } from "../../src/replay/formats/entry.ts";
import { anyTimeUs, clfTimeUs, isoTimeUs } from "../../src/replay/formats/timestamps.ts";
import { headOf } from "../../src/replay/log-file.ts";

const TIME_US = Date.UTC(2026, 9, 10, 13, 55, 36) * 1_000;
const AGENT = 'Mozilla/5.0 (X11; Linux) \\"quoted\\"';

const LINES: Readonly<
  Record<
    string,
    readonly [name: string, lines: readonly string[], expected: Partial<Details> & { readonly address: string }]
  >
> = {
  common: [
    "common or combined",
    ['192.0.2.1 - ann [10/Oct/2026:15:55:36 +0200] "POST /login?a=1 HTTP/1.1" 200 23'],
    { address: "192.0.2.1", user: "ann", method: "POST", path: "/login?a=1", userAgent: "" },
  ],
  combined: [
    "common or combined",
    [`2001:db8::1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/2.0" 200 23 "-" "${AGENT}" 0.003`],
    { address: "2001:db8::1", user: "-", method: "GET", path: "/", userAgent: AGENT },
  ],
  "common, with a quote and UTF-8 in the name of the user": [
    "common or combined",
    ['192.0.2.1 - \\"é [10/Oct/2026:15:55:36 +0200] "GET /é HTTP/1.1" 200 23'],
    { address: "192.0.2.1", user: '\\"é', method: "GET", path: "/é" },
  ],
  "combined, not HTTP": [
    "common or combined",
    ['192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "\\x16\\x03\\x01" 400 150 "-" "-"'],
    { address: "192.0.2.1", method: "", path: "", userAgent: "-" },
  ],
  Caddy: [
    "JSON lines",
    [
      JSON.stringify({
        ts: TIME_US / 1e6,
        request: { remote_ip: "192.0.2.9", client_ip: "192.0.2.1", method: "GET", host: "example.com", uri: "/a" },
      }),
    ],
    { address: "192.0.2.1", method: "GET", path: "/a", host: "example.com" },
  ],
  "JSON of nginx": [
    "JSON lines",
    [
      '{"time_iso8601":"2026-10-10T13:55:36+00:00","remote_addr":"192.0.2.1","request_method":"PUT","request_uri":"/b"}',
    ],
    { address: "192.0.2.1", method: "PUT", path: "/b" },
  ],
  "JSON behind a proxy": [
    "JSON lines",
    ['{"@timestamp":1791640536000,"x_forwarded_for":"192.0.2.1:443, 10.0.0.1"}'],
    { address: "192.0.2.1" },
  ],
  ALB: [
    "AWS ALB",
    [
      "https 2026-10-10T13:55:36.000000Z app/my/50dc 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 " +
        '"GET https://example.com:443/c?x=1 HTTP/1.1" "curl/7.46.0" ECDHE TLSv1.2 arn "Root=1-58" "example.com"',
    ],
    { address: "192.0.2.1", method: "GET", path: "/c?x=1", host: "example.com", userAgent: "curl/7.46.0" },
  ],
  CloudFront: [
    "CloudFront",
    [
      "#Version: 1.0",
      "#Fields: date time x-edge-location c-ip cs-method cs(Host) cs-uri-stem cs(User-Agent) cs-uri-query",
      "2026-10-10\t13:55:36\tLAX1\t192.0.2.1\tGET\td1.cloudfront.net\t/d\tcurl%2F7\tq=1",
    ],
    { address: "192.0.2.1", method: "GET", path: "/d?q=1", host: "d1.cloudfront.net", userAgent: "curl/7" },
  ],
  Envoy: [
    "Envoy",
    [
      '[2026-10-10T13:55:36.000Z] "POST /e HTTP/2" 204 - 154 0 226 100 "192.0.2.1,10.0.0.1" "nsq2http" ' +
        '"cc21d9b0" "locations" "tcp://10.0.2.1:80"',
    ],
    { address: "192.0.2.1", method: "POST", path: "/e", host: "locations", userAgent: "nsq2http" },
  ],
};

function formatOf(lines: readonly string[], client?: string): LogFormat {
  return headOf("a.log", Buffer.from(lines.join("\n")), client).format;
}

describe("formats of access logs", () => {
  it.each(Object.entries(LINES))("are found by their lines, and read: %s", (_, [name, lines, expected]) => {
    const format = formatOf(lines);
    expect(format.name).toBe(name);
    const entry = lines.map((line) => format.read(bytesOf(line))).at(-1);
    if (typeof entry !== "object") expect.fail();
    expect({ ...entry, address: textOf(entry.address), ...entry.details() }).toMatchObject({
      timeUs: TIME_US,
      ...expected,
    });
  });

  it("say of other text that it cannot be read", () => {
    for (const [, lines] of Object.values(LINES)) {
      const format = formatOf(lines);
      for (const line of lines) format.read(bytesOf(line));
      const texts = ["", "-", "{", "[]", "null", '"', "[10/Oct", "a b c", "\t\t\t", "x".repeat(1_000), '1 [x] "y"'];
      expect([format.name, texts.filter((text) => format.read(bytesOf(text)) !== undefined)]).toEqual([
        format.name,
        [],
      ]);
    }
  });

  it("do not exist for text that no format reads", () => {
    expect(() => formatOf(["Dear Ann,", "how are you?"])).toThrow("expected lines of an access log");
  });

  it("take the client from a field of JSON lines that is named", () => {
    const line = '{"ts":1791640536,"request":{"headers":{"X-Api-Key":["k1"]}}}';
    expect(() => formatOf([line])).toThrow("expected lines of an access log");
    const entry = formatOf([line], "request.headers.X-Api-Key").read(bytesOf(line));
    expect(typeof entry === "object" && textOf(entry.address)).toBe("k1");
  });
});

describe("stamps", () => {
  it("are microseconds, whatever their form", () => {
    expect(clfTimeUs("10/Oct/2026:11:25:36 -0230")).toBe(TIME_US);
    expect(isoTimeUs("2026-10-10T13:55:36.0015Z")).toBe(TIME_US + 1_500);
    expect(isoTimeUs("2026-10-10 13:55:36")).toBe(TIME_US);
    expect(isoTimeUs("2026-10-10T15:55:36.123456789+0200")).toBe(TIME_US + 123_456);
    for (const scale of [1, 1e3, 1e6, 1e9]) expect(anyTimeUs((TIME_US / 1e6) * scale)).toBe(TIME_US);
    expect(anyTimeUs(String(TIME_US / 1e6))).toBe(TIME_US);
    expect(anyTimeUs("10/Oct/2026:13:55:36 +0000")).toBe(TIME_US);
    const impossible = [
      "yesterday",
      "10/Foo/2026:13:55:36 +0000",
      "40/Oct/2026:13:55:36 +0000",
      "01/Jan/0000:00:00:00 +0000",
      "0000-01-01T00:00:00Z",
      "9999-12-31T23:59:59-01:00",
      1e300,
    ];
    expect(clfTimeUs("31/Dec/9999:23:59:59 +0000")).toBe(Date.UTC(9999, 11, 31, 23, 59, 59) * 1_000);
    for (const other of [...impossible, "", Number.NaN, -1]) {
      expect(anyTimeUs(other)).toBeNaN();
    }
  });

  it("of the common format are read by the date and the seconds, in any order", () => {
    const lineAt = (stamp: string) => `192.0.2.1 - - [${stamp}] "GET / HTTP/1.1" 200 5`;
    const format = formatOf([lineAt("10/Oct/2026:13:55:36 +0000")]);
    const read = (stamp: string) => {
      const entry = format.read(bytesOf(lineAt(stamp)));
      return typeof entry === "object" ? entry.timeUs : Number.NaN;
    };
    const stamps = [
      "10/Oct/2026:13:55:36 +0000",
      "10/Oct/2026:23:59:59 +0000",
      "11/Oct/2026:00:00:00 +0000",
      "10/Oct/2026:00:00:00 +0000",
      "10/Oct/2026:00:00:00 -0930",
      "31/Dec/9999:23:59:59 +0000",
      "10/Oct/2026:24:00:00 +0000",
      "10/Oct/2026:13:60:00 +0000",
      "10/Oct/2026:13:5x:00 +0000",
      "10/Oct/2026 13:55:00 +0000",
      "10/Oct/2026:13.55:00 +0000",
      "01/Jan/1970:00:00:01 +0100",
      "10/Oct/2026:13:55:36 +0000",
    ];
    expect(stamps.map(read)).toEqual(stamps.map(clfTimeUs));
    expect(stamps.map(read).filter(Number.isNaN)).toHaveLength(6);
  });
});
