import express from "express";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/express";

const limiter = createLimiter({ key: clientIp(), limits: [perMinute(10)] });

const app = express();
app.use(rateLimit({ limiter }));
app.get("/", (_request, response) => void response.send("hello\n"));
app.listen(3000);
