import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { loadCodec } from "./codec.ts";

interface HealthRequest {
  readonly service: string;
}

interface HealthResponse {
  readonly status: number;
}

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

type Watcher = ServerWritableStream<HealthRequest, HealthResponse>;

/** How many calls of `Watch` are open at most. Beyond it they get RESOURCE_EXHAUSTED. */
const MOST_WATCHERS = 1_000;

/** The service `grpc.health.v1.Health`, as gRPC's own document describes it. */
export class HealthService {
  readonly definition: ServiceDefinition = healthDefinition();
  readonly #services: ReadonlySet<string>;
  readonly #watchers = new Set<Watcher>();
  #serving = true;

  /** Answers for these services, and for the server as a whole, whose name is empty. */
  constructor(services: readonly string[]) {
    this.#services = new Set(["", ...services]);
  }

  get implementation(): UntypedServiceImplementation {
    const check: handleUnaryCall<HealthRequest, HealthResponse> = ({ request }, respond) => {
      if (this.#services.has(request.service)) respond(null, { status: this.#status() });
      else respond({ code: status.NOT_FOUND, details: "unknown service" }, null);
    };
    const watch: handleServerStreamingCall<HealthRequest, HealthResponse> = (call) => this.#watch(call);
    return { Check: check, Watch: watch };
  }

  /** Tells all watchers, and ends their calls: a server that stops gracefully waits for its calls. */
  stop(): void {
    this.#serving = false;
    for (const watcher of this.#watchers) {
      watcher.write({ status: NOT_SERVING });
      watcher.end();
    }
    this.#watchers.clear();
  }

  #status(): number {
    return this.#serving ? SERVING : NOT_SERVING;
  }

  #watch(call: Watcher): void {
    if (this.#watchers.size >= MOST_WATCHERS) {
      call.emit("error", { code: status.RESOURCE_EXHAUSTED, details: `at most ${MOST_WATCHERS} calls of Watch` });
      return;
    }
    const known = this.#services.has(call.request.service);
    call.write({ status: known ? this.#status() : SERVICE_UNKNOWN });
    this.#watchers.add(call);
    const forget = (): void => void this.#watchers.delete(call);
    call.on("cancelled", forget);
    call.on("close", forget);
  }
}

function healthDefinition(): ServiceDefinition {
  const codec = loadCodec<HealthRequest, HealthResponse>("health.proto", "grpc.health.v1.HealthCheck");
  const common = {
    requestStream: false,
    requestSerialize: codec.encodeRequest,
    requestDeserialize: codec.decodeRequest,
    responseSerialize: codec.encodeResponse,
    responseDeserialize: codec.decodeResponse,
  };
  return {
    Check: { ...common, path: "/grpc.health.v1.Health/Check", responseStream: false },
    Watch: { ...common, path: "/grpc.health.v1.Health/Watch", responseStream: true },
  };
}
