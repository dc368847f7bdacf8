import { describe, expect, it } from "vitest";
import { bytesOf } from "../../src/replay/bytes.ts";
import { Clients } from "../../src/replay/clients.ts";

describe("the clients of a log", () => {
  it("have a number each, up to a bound", () => {
    const clients = new Clients(3);
    expect(["a", "b", "a", "c", "b"].map((name) => clients.numberOf(bytesOf(name)))).toEqual([0, 1, 0, 2, 1]);
    expect([0, 1, 2].map((number) => clients.nameOf(number))).toEqual(["a", "b", "c"]);
    expect(clients.count).toBe(3);
    expect(clients.further).toBe(0);
  });

  it("share a number beyond it, and are counted to within two hundredths", () => {
    const clients = new Clients(10);
    const names = Array.from({ length: 50_010 }, (_, client) => `10.0.${client >> 8}.${client & 255}`);
    const numbers = [...names, ...names].map((name) => clients.numberOf(bytesOf(name)));
    expect(numbers.slice(50_010)).toEqual(numbers.slice(0, 50_010));
    expect([...new Set(numbers)]).toEqual(Array.from({ length: 11 }, (_, number) => number));
    expect([clients.count, clients.nameOf(10)]).toEqual([10, "(clients beyond the bound)"]);
    expect(Math.abs(clients.further - 50_000)).toBeLessThan(1_000);
  });

  it("are told apart by the whole of a long name, and keep its beginning", () => {
    const clients = new Clients(10);
    const names = ["a", "b"].map((end) => `${"x".repeat(9_999)}${end}`);
    expect([...names, ...names].map((name) => clients.numberOf(bytesOf(name)))).toEqual([0, 1, 0, 1]);
    expect(clients.nameOf(0)).toMatch(/^x{31}~[0-9a-f]{16}$/);
    expect(clients.nameOf(1)).not.toBe(clients.nameOf(0));
  });

  it("are the same if their number grows past every table", () => {
    const clients = new Clients(100_000);
    const names = Array.from({ length: 20_000 }, (_, client) => `2001:db8::${client.toString(16)}`);
    expect(names.map((name) => clients.numberOf(bytesOf(name)))).toEqual(names.map((_, client) => client));
    expect(names.map((name) => clients.numberOf(bytesOf(name)))).toEqual(names.map((_, client) => client));
    expect([0, 1_024, 19_999].map((client) => clients.nameOf(client))).toEqual(
      [0, 1_024, 19_999].map((client) => names[client]),
    );
    const text = ["__proto__", "constructor", "", "é"];
    expect(text.map((name) => clients.numberOf(bytesOf(name)))).toEqual(text.map((_, index) => 20_000 + index));
  });
});
