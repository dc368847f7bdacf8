import { rateLimit } from "express-rate-limit";
import { serveBehind } from "./express.ts";
import { DAY_MS, type Serve } from "./serve.ts";

export const serve: Serve = (limit) => serveBehind([rateLimit({ limit, windowMs: DAY_MS })]);
