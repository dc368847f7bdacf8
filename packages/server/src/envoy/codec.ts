import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

/** Reads and writes the messages of one method. */
export interface MethodCodec<Request, Response> {
  decodeRequest(bytes: Uint8Array): Request;
  encodeRequest(request: Request): Buffer;
  decodeResponse(bytes: Uint8Array): Response;
  encodeResponse(response: Response): Buffer;
}

/** The codec of a method of a file in `proto`, such as `"grpc.health.v1.HealthCheck"` with `Request` and `Response`. */
export function loadCodec<Request, Response>(file: string, name: string): MethodCodec<Request, Response> {
  const text = readFileSync(new URL(`../../proto/${file}`, import.meta.url), "utf8");
  const { root } = protobuf.parse(text);
  const request = root.lookupType(`${name}Request`);
  const response = root.lookupType(`${name}Response`);
  // In Node what they write are buffers, which need no copy.
  return {
    decodeRequest: (bytes) => request.decode(bytes) as unknown as Request,
    encodeRequest: (message) => request.encode(message as protobuf.Message).finish() as Buffer,
    decodeResponse: (bytes) => response.decode(bytes) as unknown as Response,
    encodeResponse: (message) => response.encode(message as protobuf.Message).finish() as Buffer,
  };
}
