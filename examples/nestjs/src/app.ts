import { setTimeout as sleep } from "node:timers/promises";
import { Body, Controller, Get, HttpCode, Module, Post, UnauthorizedException } from "@nestjs/common";
import { RateLimit, RateLimitModule, SkipRateLimit } from "tollgate/nestjs";
import { limitsFor } from "./limits.js";

@Controller()
class AppController {
  @Get("quote")
  quote(): object {
    return { quote: "Measure twice, cut once." };
  }

  @Post("login")
  @HttpCode(204)
  @RateLimit("login")
  login(@Body() { password }: { password?: unknown }): void {
    if (password !== "correct horse battery staple") throw new UnauthorizedException();
  }

  /** A client has one at a time: its place is free when the response has ended. */
  @Get("report")
  @RateLimit("report")
  async report(): Promise<object> {
    await sleep(200);
    return { pages: 3 };
  }

  @Get("health")
  @SkipRateLimit()
  health(): string {
    return "well";
  }
}

@Module({
  // How many proxies are in front; none by default.
  imports: [RateLimitModule.forRoot(limitsFor(Number(process.env["PROXIES"] ?? 0)))],
  controllers: [AppController],
})
export class AppModule {}
