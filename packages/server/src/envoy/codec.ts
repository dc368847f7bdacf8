import { readFileSync } from "node:fs";
import type { MethodDefinition } from "@grpc/grpc-js";
import protobuf from "protobufjs";

/**
 * A method that has one request and one response, as grpc-js knows it.
 *
 * @param file a file in `proto`.
 * @param name its messages begin with this, such as `"grpc.health.v1.HealthCheck"` with `Request` and `Response`.
 */
export function unaryMethod<Request, Response>(
  path: string,
  file: string,
  name: string,
): MethodDefinition<Request, Response> {
  const { root } = protobuf.parse(readFileSync(new URL(`../../proto/${file}`, import.meta.url), "utf8"));
  const request = root.lookupType(`${name}Request`);
  const response = root.lookupType(`${name}Response`);
  // In Node what they write are buffers, which need no copy.
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message) => request.encode(message as protobuf.Message).finish() as Buffer,
    requestDeserialize: (bytes) => request.decode(bytes) as unknown as Request,
    responseSerialize: (message) => response.encode(message as protobuf.Message).finish() as Buffer,
    responseDeserialize: (bytes) => response.decode(bytes) as unknown as Response,
  };
}
