import { readFileSync } from "node:fs";
import protobuf from "protobufjs";
import { STATUS, StatusError } from "./unary-call.ts";

/** The messages of a method. */
export interface MessageTypes<Request, Response> {
  /** @throws StatusError */
  decodeRequest(bytes: Uint8Array): Request;
  encodeResponse(response: Response): Uint8Array;
}

/**
 * Reads the messages of a method.
 *
 * @param file a file in `proto`.
 * @param name they begin with this, such as `"grpc.health.v1.HealthCheck"` with `Request` and `Response`.
 */
export function messageTypes<Request, Response>(file: string, name: string): MessageTypes<Request, Response> {
  const { root } = protobuf.parse(readFileSync(new URL(`../../proto/${file}`, import.meta.url), "utf8"));
  const request = root.lookupType(`${name}Request`);
  const response = root.lookupType(`${name}Response`);
  return {
    decodeRequest: (bytes) => {
      try {
        return request.decode(bytes) as unknown as Request;
      } catch (cause) {
        const status = STATUS.internal;
        throw new StatusError(`expected a message of the type ${request.name}`, { status, cause });
      }
    },
    encodeResponse: (message) => response.encode(message as protobuf.Message).finish(),
  };
}
