import { describe, expect, it } from "vitest";
import { Clients } from "../../src/replay/clients.ts";

describe("the clients of a log", () => {
  it("have a number each, up to a bound", () => {
    const clients = new Clients(3);
    expect(["a", "b", "a", "c", "b"].map((name) => clients.numberOf(name))).toEqual([0, 1, 0, 2, 1]);
    expect([0, 1, 2].map((number) => clients.nameOf(number))).toEqual(["a", "b", "c"]);
    expect(clients.count).toBe(3);
    expect(clients.further).toBe(0);
  });

  it("share rows beyond it, and are counted to within two hundredths", () => {
    const clients = new Clients(10);
    const names = Array.from({ length: 50_010 }, (_, client) => `10.0.${client >> 8}.${client & 255}`);
    const numbers = [...names, ...names].map((name) => clients.numberOf(name));
    expect(numbers.slice(50_010)).toEqual(numbers.slice(0, 50_010));
    expect(numbers.map((number) => clients.isShared(number)).indexOf(true)).toBe(10);
    expect(Math.max(...numbers.slice(0, 50_010))).toBeLessThan(10 + 4_096);
    expect(clients.count).toBe(10);
    expect(Math.abs(clients.further - 50_000)).toBeLessThan(1_000);
  });
});
