import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, RateLimitModule } from "tollgate/nestjs";

const limiter = createLimiter({ name: "client", key: clientIp(), limits: [perMinute(10)] });

@Controller()
class AppController {
  @Get() hello() {
    return "hello\n";
  }
}

@Module({ imports: [RateLimitModule.forRoot({ limiter })], controllers: [AppController] })
class AppModule {}
await (await NestFactory.create(AppModule)).listen(3000);
