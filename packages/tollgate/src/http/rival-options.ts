import type { OptionHints } from "../core/check-options.ts";

const called = (name: string) => `it is called "${name}" here`;

const LIMIT = "a limit has it: createLimiter({ key: clientIp(), limits: [perMinute(100)] })";
const WINDOW =
  'a limit has it: createLimiter({ key: clientIp(), limits: [slidingWindow({ limit: 100, window: "15m" })] })';
const KEY = "createLimiter has it: createLimiter({ key: clientIp(), limits })";
const STORE = "createLimiter has it: createLimiter({ store: redisStore({ client }), limits })";
const OF_CREATE_LIMITER = "createLimiter has it";
const ON_FAILURE = 'createLimiter has it, as onFailure: "allow", "deny" or "throw"';
const OF_CLIENTS = "it is an option of clientIp(), which createLimiter takes as key and rateLimit as clientIp";
const BODY = 'write denial: "json" or "problem", or an answer of your own in onDenied';
const HEADERS = 'it is called "headers" here: "draft-11", "legacy" or both in a list';
const REFUND_FAILURES = "write chargeAfter: (_request, { status, completed }) => (completed && status < 400 ? 1 : 0)";

/**
 * What options of express-rate-limit, express-slow-down, @fastify/rate-limit, hono-rate-limiter and koa-ratelimit are
 * here, and where options of other functions belong. The middleware has what concerns requests and responses, and its
 * limiter has limits, keys and counts.
 */
export const RIVAL_OPTIONS: OptionHints = {
  "": "write rateLimit({ limiter })",
  windowMs: WINDOW,
  timeWindow: WINDOW,
  duration: WINDOW,
  max: LIMIT,
  limit: LIMIT,
  limits: LIMIT,
  points: LIMIT,
  key: KEY,
  keyGenerator: KEY,
  id: KEY,
  name: OF_CREATE_LIMITER,
  observe: OF_CREATE_LIMITER,
  onFailure: OF_CREATE_LIMITER,
  store: STORE,
  redis: STORE,
  db: STORE,
  passOnStoreError: ON_FAILURE,
  skipOnError: ON_FAILURE,
  handler: called("onDenied"),
  errorResponseBuilder: called("onDenied"),
  onLimitReached: "createLimiter has it, as observe",
  onExceeded: "createLimiter has it, as observe",
  message: BODY,
  errorMessage: BODY,
  statusCode: called("status"),
  standardHeaders: HEADERS,
  legacyHeaders: HEADERS,
  enableDraftSpec: HEADERS,
  addHeaders: HEADERS,
  disableHeader: "write headers: false",
  skipSuccessfulRequests: "write chargeAfter: refundSuccesses()",
  skipFailedRequests: REFUND_FAILURES,
  requestWasSuccessful: "write chargeAfter: refundSuccesses((status) => status < 400)",
  whitelist: called("allowList"),
  blacklist: called("denyList"),
  ban: 'a limit has it, as blockFor: slidingWindow({ limit: 100, window: "15m", blockFor: "1h" })',
  delayAfter: 'a limit has it: tokenBucket({ capacity: delayAfter, refill: 1, per: "1s" })',
  delayMs: 'a limit has it, as the time of one unit: tokenBucket({ capacity: 5, refill: 1, per: "500ms" })',
  maxDelayMs: called("maxWait"),
  logger: called("logError"),
  requestPropertyName: called("requestProperty"),
  trustProxy: OF_CLIENTS,
  addressHeader: OF_CLIENTS,
  rawHeaders: "this is a request: write app.use(rateLimit({ limiter }))",
};
