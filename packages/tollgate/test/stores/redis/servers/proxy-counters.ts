/** The traffic of a proxy since it started. */
export interface ProxyCounters {
  /** Accepted connections. */
  connections: number;
  /** Open connections. */
  openConnections: number;
  /** Connections that the proxy reset towards the client. */
  resets: number;
  /** Bytes from clients, and those of them forwarded to the server. */
  requestBytes: number;
  requestBytesPassed: number;
  /** Bytes from the server, and those of them forwarded to clients. */
  replyBytes: number;
  replyBytesPassed: number;
}

export function zeroCounters(): ProxyCounters {
  return {
    connections: 0,
    openConnections: 0,
    resets: 0,
    requestBytes: 0,
    requestBytesPassed: 0,
    replyBytes: 0,
    replyBytesPassed: 0,
  };
}
