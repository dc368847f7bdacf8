import { fastify } from "fastify";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/fastify";

const limiter = createLimiter({ key: clientIp(), limits: [perMinute(10)] });

const app = fastify();
await app.register(rateLimit, { limiter });
app.get("/", async () => "hello\n");
await app.listen({ port: 3000 });
