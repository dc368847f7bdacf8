/** A question, its answers, and why an answer leads to what the program has. */
export interface Question<Answer extends string> {
  readonly text: string;
  readonly answers: Readonly<Record<Answer, readonly [label: string, reason: string]>>;
}

export type Protected = "login" | "api" | "page" | "llm" | "quota" | "job";
export type Client = "address" | "proxied" | "key" | "account";
export type Bursts = "yes" | "no";
export type Processes = "one" | "threads" | "redis" | "postgres";
export type Outage = "allow" | "deny" | "fallback";

export interface Answers {
  readonly protects: Protected;
  readonly client: Client;
  readonly bursts: Bursts;
  readonly processes: Processes;
  readonly outage: Outage;
}

export const QUESTIONS: { readonly [Name in keyof Answers]: Question<Answers[Name]> } = {
  protects: {
    text: "What do you protect?",
    answers: {
      login: ["A login, or a one-time code", "Five tries in a quarter of an hour bound guessing."],
      api: ["A public API", "A hundred calls a minute suit a client that works steadily."],
      page: ["A web page and its assets", "Ten requests a second suit readers; one page asks for dozens at once."],
      llm: ["Tokens of a language model", "Requests and tokens run out separately, so there is a limit for each."],
      quota: [
        "A plan's monthly quota",
        "The quota renews at midnight of a time zone, a moment that an invoice can say.",
      ],
      job: ["An expensive job, such as an export", "Ten jobs a day are what one user may cost."],
    },
  },
  client: {
    text: "What is a client?",
    answers: {
      address: ["An address, with nothing in front", "The client is the socket's address. No header can change it."],
      proxied: ["An address, behind one proxy", "The proxy writes the address into a header: one hop is trusted."],
      key: [
        "An API key, else the address",
        "A client has its key on every network. Refuse unknown keys first: each is a client.",
      ],
      account: ["An account that I know", "The input is the key: ask with the account's name."],
    },
  },
  bursts: {
    text: "May a client send many calls at once?",
    answers: {
      yes: ["Yes, short bursts are fine", "A token bucket admits a burst, and then calls at its rate."],
      no: ["No, the limit must hold in any window", "A sliding window never admits more, wherever the window begins."],
    },
  },
  processes: {
    text: "Where does the application run?",
    answers: {
      one: ["In one process", "The memory of the process has the count: no store to set up."],
      threads: ["In threads of one process", "Shared memory has one count for all threads, without messages."],
      redis: ["In many processes, with Redis", "A script in Redis decides, one round trip for the calls of one turn."],
      postgres: ["In many processes, with PostgreSQL", "A function in PostgreSQL decides. Apply the migration once."],
    },
  },
  outage: {
    text: "What shall happen while the store does not answer?",
    answers: {
      allow: ["Let calls pass", "The application goes on, unlimited for a while."],
      deny: ["Deny them", "Nothing passes uncounted. The application is down with its store."],
      fallback: ["Count in each process", "Each process allows a quarter of each limit meanwhile."],
    },
  },
};

/** What the last question's answer means to a store that cannot be gone. */
export const ALWAYS_THERE = "The store is memory of the process: it is always there.";
