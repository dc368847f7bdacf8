import { createServer } from "node:http";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/node";

const limiter = createLimiter({ key: clientIp(), limits: [perMinute(10)] });
const limit = rateLimit({ limiter });

createServer(limit((_request, response) => void response.end("hello\n"))).listen(3000);
