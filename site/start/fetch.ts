import { createLimiter, perMinute } from "tollgate";
import { header, rateLimit } from "tollgate/fetch";

const limiter = createLimiter({ key: header("x-api-key"), limits: [perMinute(10)] });
const limit = rateLimit({ limiter });

export default { fetch: limit(() => new Response("hello\n")) };
