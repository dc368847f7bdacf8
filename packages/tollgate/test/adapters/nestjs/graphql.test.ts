import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { GraphQLModule, Query, Resolver } from "@nestjs/graphql";
import { MercuriusDriver, type MercuriusDriverConfig } from "@nestjs/mercurius";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { perMinute } from "tollgate";
import { RateLimitModule } from "tollgate/nestjs";
import { expect, it, onTestFinished } from "vitest";
import { manualLimiter } from "../suite/case.ts";

class Hello {
  hello(): string {
    return "hello";
  }
}
Resolver()(Hello);
Query("hello")(Hello.prototype, "hello", Object.getOwnPropertyDescriptor(Hello.prototype, "hello")!);

async function start(context: MercuriusDriverConfig["context"]): Promise<(query: string) => Promise<Response>> {
  class Application {}
  Module({
    imports: [
      RateLimitModule.forRoot({ limiter: manualLimiter([perMinute(2)]).limiter }),
      GraphQLModule.forRoot<MercuriusDriverConfig>({
        driver: MercuriusDriver,
        typeDefs: "type Query { hello: String! }",
        ...(context === undefined ? {} : { context }),
      }),
    ],
    providers: [Hello],
  })(Application);
  const app = await NestFactory.create(Application, new FastifyAdapter({ forceCloseConnections: true }), {
    logger: false,
  });
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  const url = `${await app.getUrl()}/graphql`;
  return (query) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
}

it("counts each field of a GraphQL operation, and tells in the error's extensions when to try again", async () => {
  const ask = await start(undefined);
  const response = await ask("{ a: hello b: hello c: hello }");
  expect(response.headers.get("ratelimit")).toContain("r=0");
  const { data, errors } = (await response.json()) as { data: unknown; errors: { extensions: unknown }[] };
  expect(data).toBeNull();
  expect(errors).toMatchObject([
    { message: "rate limit exceeded", extensions: { code: "RATE_LIMITED", retry_after_secs: 30 } },
  ]);
});

it("limits GraphQL operations whose context has a request and no response", async () => {
  const ask = await start((request: object) => ({ req: request, reply: undefined, res: undefined }));
  const query = "{ hello }";
  expect(await (await ask(query)).json()).toEqual({ data: { hello: "hello" } });
  await ask(query);
  expect(await (await ask(query)).json()).toMatchObject({ errors: [{ message: "rate limit exceeded" }] });
});
