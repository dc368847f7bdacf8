/** A request of the generated day. */
export interface Call {
  /** Microseconds after midnight. */
  readonly atUs: number;
  readonly client: string;
  readonly method: string;
  readonly path: string;
}

export const MIDNIGHT_US: number = Date.UTC(2026, 10, 1) * 1_000;
const SECOND_US = 1_000_000;

/** The clients that have to be denied, by what they do. */
export const CRAWLER = "192.0.2.66";
const OFFICE = "192.0.2.1";
export const STORM: readonly string[] = Array.from({ length: 4 }, (_, app) => `198.51.100.${app}`);
export const STUFFING: readonly string[] = Array.from({ length: 5 }, (_, bot) => `203.0.113.${bot}`);

/** A page's files at most: people load it at once, and at most once a minute. */
export const MOST_FILES = 12;
/** Requests of each that stuffs credentials, and of each application that retries. */
export const GUESSES = 6_000;
export const RETRIES = 480;

/** Numbers below 1, the same for the same seed (Steele, Lea and Flood, "Fast splittable generators", 2014). */
function random(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return Number((mixed ^ (mixed >> 31n)) >> 11n) / 2 ** 53;
  };
}

/**
 * A day of people with browsers, an office behind one address, a crawler, applications that retry in a storm, and bots
 * that stuff credentials; in the order of time. What each of them needs is known, whatever the seed.
 */
export function generatedDay(seed: number, people: number): readonly Call[] {
  const next = random(seed);
  const calls: Call[] = [];
  const send = (atUs: number, client: string, method: string, path: string) => {
    calls.push({ atUs: Math.round(atUs), client, method, path });
  };
  for (let person = 0; person < people; person += 1) {
    const client = `10.0.${person >> 8}.${person & 255}`;
    // Few pages have many files.
    const files = 1 + Math.floor((MOST_FILES - 0.001) * next() ** 3);
    // People come by five o'clock, so that the first four fifths of the day have seen all of them.
    let atUs = next() * 61_200 * SECOND_US;
    for (let pages = 1 + Math.floor(3 * next()); pages > 0; pages -= 1) {
      for (let file = 0; file < files; file += 1) send(atUs, client, "GET", file === 0 ? "/" : `/file-${file}`);
      atUs += (60 + 600 * next()) * SECOND_US;
    }
  }
  // Eight requests every half a minute, from nine to five.
  for (let load = 0; load < 960; load += 1) {
    for (let file = 0; file < 8; file += 1) send((32_400 + load * 30) * SECOND_US, OFFICE, "GET", `/file-${file}`);
  }
  for (let call = 0; call < 43_200; call += 1) send(call * 2 * SECOND_US, CRAWLER, "GET", `/page-${call}`);
  for (const client of STORM) {
    for (let call = 0; call < RETRIES; call += 1) send((43_200 + call / 4) * SECOND_US, client, "GET", "/api");
  }
  for (const client of STUFFING) {
    for (let call = 0; call < GUESSES; call += 1) send((20_000 + call / 10) * SECOND_US, client, "POST", "/login");
  }
  return calls.sort((one, other) => one.atUs - other.atUs);
}

/** The day as an access log in the combined format, which has whole seconds. */
export function combinedLog(calls: readonly Call[]): string {
  return calls
    .map(({ atUs, client, method, path }) => {
      const time = new Date(Math.floor(atUs / SECOND_US) * 1_000).toISOString().slice(11, 19);
      return `${client} - - [01/Nov/2026:${time} +0000] "${method} ${path} HTTP/1.1" 200 5 "-" "agent"\n`;
    })
    .join("");
}

/** The day as JSON lines with microseconds. */
export function jsonLog(calls: readonly Call[]): string {
  return calls
    .map(({ atUs, client, method, path }) => {
      return `${JSON.stringify({ ts: MIDNIGHT_US + atUs, client_ip: client, method, path })}\n`;
    })
    .join("");
}
