import { type handleUnaryCall, type ServiceDefinition, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { unaryMethod } from "./codec.ts";

interface HealthRequest {
  readonly service: string;
}

interface HealthResponse {
  readonly status: number;
}

const SERVING = 1;
const NOT_SERVING = 2;

/** The service `grpc.health.v1.Health`. Clients take a server without its `Watch` for healthy while it is connected. */
export class HealthService {
  readonly definition: ServiceDefinition = healthDefinition();
  readonly #services: ReadonlySet<string>;
  #serving = true;

  /** Answers for these services, and for the server as a whole, whose name is empty. */
  constructor(services: readonly string[]) {
    this.#services = new Set(["", ...services]);
  }

  get implementation(): UntypedServiceImplementation {
    const check: handleUnaryCall<HealthRequest, HealthResponse> = ({ request }, respond) => {
      if (this.#services.has(request.service)) respond(null, { status: this.#serving ? SERVING : NOT_SERVING });
      else respond({ code: status.NOT_FOUND, details: "unknown service" }, null);
    };
    return { Check: check };
  }

  stop(): void {
    this.#serving = false;
  }
}

function healthDefinition(): ServiceDefinition {
  const path = "/grpc.health.v1.Health/Check";
  return { Check: unaryMethod<HealthRequest, HealthResponse>(path, "health.proto", "grpc.health.v1.HealthCheck") };
}
