import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from "@grpc/grpc-js";

/** What calls may make a server keep while their messages are under way. */
export interface CallBounds {
  /** From the head of a call to the end of its message. Envoy waits 20 ms for an answer unless it is told otherwise. */
  readonly messageMs: number;
  /** How many messages may be under way, on all connections. */
  readonly messages: number;
  readonly metadataBytes: number;
}

export const CALL_BOUNDS: CallBounds = { messageMs: 5_000, messages: 2_000, metadataBytes: 8 * 1024 };

/** How often late messages are looked for while some are under way, as a part of the time that they have. */
const CHECKS = 4;

interface UnderWay {
  readonly peer: string;
  readonly endsMs: number;
}

/**
 * Closes connections whose messages come too late. If too many are under way, it closes the connection of the oldest.
 * grpc-js has neither bound, and keeps what it has of a message although its call has ended. Its option for the size of
 * metadata has no effect in a server, so long metadata is refused here.
 *
 * @param close closes the connection of a peer, as `getPeer` of a call names it.
 */
export function boundCalls(
  { messageMs, messages, metadataBytes }: CallBounds,
  close: (peer: string) => void,
): ServerInterceptor {
  /** By their calls, in the order in which they came. */
  const underWay = new Map<object, UnderWay>();
  let isChecking = false;
  const check = (): void => {
    const nowMs = performance.now();
    for (const [call, { peer, endsMs }] of underWay) {
      if (endsMs > nowMs) break;
      underWay.delete(call);
      close(peer);
    }
    isChecking = underWay.size > 0;
    if (isChecking) setTimeout(check, messageMs / CHECKS).unref();
  };
  const begin = (call: object, peer: string): void => {
    underWay.set(call, { peer, endsMs: performance.now() + messageMs });
    if (!isChecking) check();
    const [longest] = underWay.size > messages ? underWay : [];
    if (longest === undefined) return;
    underWay.delete(longest[0]);
    close(longest[1].peer);
  };
  return (_method, call) => {
    let isLong = false;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, receive) => {
            isLong = bytesOf(metadata) > metadataBytes;
            begin(call, call.getPeer());
            receive(metadata);
          },
          onReceiveHalfClose: (receive) => {
            underWay.delete(call);
            if (!isLong) return receive();
            const details = `expected at most ${metadataBytes} bytes of metadata`;
            return call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
          },
          onCancel: () => void underWay.delete(call),
        }),
    });
  };
}

function bytesOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toJSON()))
    for (const value of values) bytes += name.length + value.length;
  return bytes;
}
