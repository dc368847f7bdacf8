import { type handleUnaryCall, Server, ServerCredentials } from "@grpc/grpc-js";
import { type RateLimitAnswer, type RateLimitQuestion, rateLimitCodec, SHOULD_RATE_LIMIT } from "./rate-limit-codec.ts";

/** What the service answers to a descriptor that is admitted. */
const STATUS = {
  code: 1,
  currentLimit: { requestsPerUnit: 9_000_000, unit: 1, name: "" },
  limitRemaining: 8_999_999,
  durationUntilReset: { seconds: 1 },
};

/** Decodes and encodes the messages of the service, and decides nothing. Prints its URL. */
export function serveBareGrpc(): void {
  const codec = rateLimitCodec();
  const answer: handleUnaryCall<RateLimitQuestion, RateLimitAnswer> = ({ request }, respond) => {
    respond(null, { overallCode: 1, statuses: request.descriptors.map(() => STATUS) });
  };
  const server = new Server();
  const method = {
    path: SHOULD_RATE_LIMIT,
    requestStream: false,
    responseStream: false,
    requestSerialize: codec.encodeRequest,
    requestDeserialize: codec.decodeRequest,
    responseSerialize: codec.encodeAnswer,
    responseDeserialize: codec.decodeAnswer,
  } as const;
  server.addService({ ShouldRateLimit: method }, { ShouldRateLimit: answer });
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    console.log(`http://127.0.0.1:${port}`);
  });
}
