/** What went through a proxy since it started. */
export interface ProxyCounters {
  /** Connections accepted. */
  connections: number;
  /** Of these, the ones that are open. */
  openConnections: number;
  /** Connections that the proxy reset towards the client. */
  resets: number;
  /** Bytes that came from clients, and how many of them went on to the server. */
  requestBytes: number;
  requestBytesPassed: number;
  /** Bytes that came from the server, and how many of them went on to clients. */
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
