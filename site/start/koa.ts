import Koa from "koa";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/koa";

const limiter = createLimiter({ key: clientIp(), limits: [perMinute(10)] });

const app = new Koa();
app.use(rateLimit({ limiter }));
app.use((context) => {
  context.body = "hello\n";
});
app.listen(3000);
