/** Requests and denials of each client, by its number. */
export class ClientCounts {
  deniedRequests = 0;
  deniedClients = 0;
  #requests = new Uint32Array(1_024);
  #denied = new Uint32Array(1_024);
  /** The least part of a limit that the client had left. */
  #least = new Float32Array(1_024).fill(1);

  add(client: number, isDenied: boolean, left: number): void {
    if (client >= this.#requests.length) this.#grow(client);
    this.#requests[client]! += 1;
    if (left < this.#least[client]!) this.#least[client] = left;
    if (!isDenied) return;
    this.deniedRequests += 1;
    if (this.#denied[client] === 0) this.deniedClients += 1;
    this.#denied[client]! += 1;
  }

  /** The clients with most denials. */
  worst(count: number): { client: number; requests: number; denied: number }[] {
    const clients: { client: number; requests: number; denied: number }[] = [];
    this.#denied.forEach((denied, client) => {
      if (denied > 0) clients.push({ client, requests: this.#requests[client]!, denied });
    });
    return clients.sort((one, other) => other.denied - one.denied).slice(0, count);
  }

  /** How many clients had that part of their limit left at the worst moment: none, then by tenths. */
  headroom(): number[] {
    const counts = new Array<number>(11).fill(0);
    this.#requests.forEach((requests, client) => {
      if (requests === 0) return;
      const part = this.#denied[client]! > 0 ? 0 : Math.min(10, 1 + Math.floor(this.#least[client]! * 10));
      counts[part]! += 1;
    });
    return counts;
  }

  #grow(client: number): void {
    const size = Math.max(2 * this.#requests.length, client + 1);
    const least = new Float32Array(size).fill(1);
    least.set(this.#least);
    this.#least = least;
    this.#requests = grown(this.#requests, size);
    this.#denied = grown(this.#denied, size);
  }
}

function grown(numbers: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(numbers);
  return larger;
}
