import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { AppModule } from "./app.js";

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ["warn", "error"] });
await app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
console.log(await app.getUrl());
