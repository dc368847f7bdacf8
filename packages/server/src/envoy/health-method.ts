import { messageTypes } from "./message-types.ts";
import { type Method, STATUS, StatusError } from "./unary-call.ts";

export const HEALTH_PATH = "/grpc.health.v1.Health/Check";

const SERVING = 1;
const NOT_SERVING = 2;

/**
 * The health of these services, and of the server as a whole, whose name is empty. Clients take a server without the
 * method `Watch` for healthy while it is connected.
 */
export function healthMethod(services: readonly string[], isServing: () => boolean): Method {
  const types = messageTypes<{ readonly service: string }, { readonly status: number }>(
    "health.proto",
    "grpc.health.v1.HealthCheck",
  );
  const known = new Set(["", ...services]);
  return (message) => {
    if (!known.has(types.decodeRequest(message).service))
      throw new StatusError("unknown service", { status: STATUS.notFound });
    return types.encodeResponse({ status: isServing() ? SERVING : NOT_SERVING });
  };
}
