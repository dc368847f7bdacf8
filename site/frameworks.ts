/** A framework with a page to start from. */
export interface Framework {
  readonly id: string;
  readonly title: string;
  /** What to install beside `tollgate`. */
  readonly packages: string;
  /** The document about it. */
  readonly page: string;
}

/** The program of each is `start/ID.ts`. */
export const FRAMEWORKS: readonly Framework[] = [
  { id: "express", title: "Express", packages: "express", page: "express" },
  { id: "fastify", title: "Fastify", packages: "fastify", page: "fastify" },
  { id: "koa", title: "Koa", packages: "koa", page: "koa" },
  { id: "hono", title: "Hono", packages: "hono @hono/node-server", page: "hono" },
  {
    id: "nestjs",
    title: "NestJS",
    packages: "@nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs",
    page: "nestjs",
  },
  { id: "node", title: "node:http", packages: "", page: "node" },
  { id: "fetch", title: "Fetch handlers", packages: "", page: "fetch" },
];
