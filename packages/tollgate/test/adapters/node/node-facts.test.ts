import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { factsOf } from "tollgate/node";
import { describe, expect, it } from "vitest";

function pathOf(target: string): string {
  const request = new IncomingMessage(new Socket());
  request.url = target;
  return factsOf(request).path;
}

describe("the path of a request's target", () => {
  it.each<[string, string]>([
    ["/", "/"],
    ["/login", "/login"],
    ["/login?", "/login"],
    ["/login?a=/b?c", "/login"],
    ["/login#1", "/login"],
    ["/login#1?a", "/login"],
    ["/login?a#1", "/login"],
    ["/a//b/%2F", "/a//b/%2F"],
    ["//a1/login", "//a1/login"],
    ["/http://a1/login", "/http://a1/login"],
    ["/login?to=http://a1/", "/login"],
    ["http://a1/login", "/login"],
    ["HTTP://a1:81/login?a", "/login"],
    ["https://u:p@[::1]:81/login#1", "/login"],
    ["http://a1//login", "//login"],
    ["http://a1/", "/"],
    ["http://a1", "/"],
    // Else a client would choose the path of a request for "/".
    ["http://a1?a=/login", "/"],
    ["http://a1#/login", "/"],
    ["*", "*"],
    ["a1:443", "a1:443"],
    ["[::1]:443", "[::1]:443"],
    ["", ""],
  ])("of the target %j is %j", (target, path) => {
    expect(pathOf(target)).toBe(path);
  });
});
