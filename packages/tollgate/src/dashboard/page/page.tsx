import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ROUTES } from "../snapshot.ts";
import { fieldsOf } from "./action.tsx";
import { type Connection, connect, messageOf, post, type Status } from "./connection.ts";
import { Events } from "./events.tsx";
import { KeyScreen } from "./key.tsx";
import { Keys, keyOfHash } from "./keys.tsx";
import { Limits, Mistakes } from "./limits.tsx";
import { Overview } from "./overview.tsx";
import { Notice, Now } from "./text.tsx";
import type { Shown, View } from "./view.ts";

const SCREENS = { overview: Overview, keys: Keys, limits: Limits, events: Events };
type Name = keyof typeof SCREENS;
const NAMES = Object.keys(SCREENS) as Name[];

const TITLES: Readonly<Record<Status["name"], string>> = {
  connecting: "Connecting …",
  connected: "Live",
  hidden: "Paused",
  lost: "Disconnected",
  "signed-out": "Signed out",
};

function nameOf(hash: string): Name {
  const [, name] = hash.split("/");
  return name === "key" ? "keys" : (NAMES.find((known) => known === name) ?? "overview");
}

function App() {
  const [status, setStatus] = useState<Status>({ name: "connecting" });
  const [view, setView] = useState<View>();
  const [said, say] = useState("");
  const [hash, setHash] = useState(location.hash);
  const connection = useRef<Connection>(undefined);
  useEffect(() => {
    const arrive = async (): Promise<void> => {
      const isSignedIn = await signInByLink();
      setHash(location.hash);
      if (isSignedIn) connection.current?.again();
    };
    addEventListener("hashchange", () => void arrive());
    const start = async (): Promise<void> => {
      await arrive();
      connection.current = connect(setStatus, setView);
    };
    void start();
  }, []);
  const current = nameOf(hash);
  useEffect(() => {
    document.title = `Tollgate: ${current}`;
    scrollTo(0, 0);
    say("");
  }, [hash]);
  const again = (): void => connection.current?.again();
  return (
    <>
      <Header current={current} status={status} view={view} said={said} />
      <main>
        {status.name === "lost" && (
          <Notice>
            Disconnected: {status.why}. {view !== undefined && "What is below is no longer new. "}
            <button type="button" onClick={again}>
              Try now
            </button>
          </Notice>
        )}
        {status.name === "signed-out" && <SignIn again={again} />}
        {status.name !== "signed-out" && view === undefined && <p class="quiet">Waiting for the first numbers …</p>}
        {status.name !== "signed-out" && view !== undefined && (
          <>
            <Mistakes view={view} />
            <Now.Provider value={view.snapshot.point.atMs}>
              <Screen hash={hash} view={view} say={say} showKeys={(shown) => connection.current?.showKeys(shown)} />
            </Now.Provider>
          </>
        )}
      </main>
    </>
  );
}

function Screen({ hash, ...shown }: Shown & { readonly hash: string }) {
  const [, name = "", rest = ""] = hash.split("/");
  const named = name === "key" ? keyOfHash(rest) : undefined;
  if (named !== undefined) return <KeyScreen key={hash} named={named} {...shown} />;
  const Named = SCREENS[nameOf(hash)];
  return <Named {...shown} />;
}

function Header(props: {
  readonly current: Name;
  readonly status: Status;
  readonly view: View | undefined;
  readonly said: string;
}) {
  const { current, status, view, said } = props;
  const isReading = status.name === "connected" && view?.welcome.access === "read";
  return (
    <header>
      <strong>Tollgate</strong>
      <nav aria-label="Screens">
        {NAMES.map((name) => (
          <a key={name} href={`#/${name}`} aria-current={name === current ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <span class="quiet">
        {TITLES[status.name]}
        {isReading && ", read-only"}
      </span>
      <output>{said}</output>
    </header>
  );
}

/** Posts the token of a link such as `/#token=…` once, and removes it from the address before. */
async function signInByLink(): Promise<boolean> {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (token === undefined) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await post(ROUTES.session, { token: decodeURIComponent(token) });
  } catch {
    // The form follows, and shows the answer to another token.
  }
  return true;
}

function SignIn({ again }: { readonly again: () => void }) {
  const [problem, setProblem] = useState("");
  return (
    <section>
      <h1>Sign in</h1>
      <form
        onSubmit={(event) => {
          const token = fieldsOf(event)("token");
          post(ROUTES.session, { token }).then(again, (error: unknown) => setProblem(messageOf(error)));
        }}
      >
        <label>
          Token of an operator
          <input name="token" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit">Sign in</button>
      </form>
      {problem !== "" && <Notice>{problem}</Notice>}
    </section>
  );
}

render(<App />, document.getElementById("app") ?? document.body);
