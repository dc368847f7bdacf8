import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type NamedKey, ROUTES, type Snapshot } from "../snapshot.ts";
import { fieldsOf } from "./action.tsx";
import { connect, messageOf, post, type Status } from "./connection.ts";
import { Events } from "./events.tsx";
import { KeyScreen } from "./key.tsx";
import { Keys } from "./keys.tsx";
import { Limits } from "./limits.tsx";
import { Overview } from "./overview.tsx";
import { Problems } from "./problems.tsx";
import { Notice, Now } from "./text.tsx";

const SCREENS = { overview: Overview, keys: Keys, limits: Limits, events: Events };
const NAMES = Object.keys(SCREENS) as (keyof typeof SCREENS)[];

function App() {
  const [status, setStatus] = useState<Status>({ name: "Connecting …" });
  const [view, setView] = useState<Snapshot>();
  const [said, say] = useState("");
  const [hash, setHash] = useState(location.hash);
  const [areKeysShown, showKeys] = useState(false);
  const [attempts, setAttempts] = useState(0);
  const again = (): void => setAttempts((count) => count + 1);
  useEffect(() => {
    const arrive = async (): Promise<void> => {
      const isSignedIn = await signInByLink();
      setHash(location.hash);
      if (isSignedIn) again();
    };
    addEventListener("hashchange", () => void arrive());
    document.addEventListener("visibilitychange", again);
    void arrive().then(again);
  }, []);
  useEffect(
    () => (attempts === 0 ? undefined : connect(areKeysShown, { onStatus: setStatus, onView: setView, again })),
    [attempts, areKeysShown],
  );
  const [, path, key = ""] = hash.split("/");
  const current = path === "key" ? "keys" : (NAMES.find((name) => name === path) ?? "overview");
  useEffect(() => {
    document.title = `Tollgate: ${current}`;
    scrollTo(0, 0);
    say("");
  }, [hash]);
  const point = view?.points.at(-1);
  const named = path === "key" ? namedIn(key) : undefined;
  const Screen = SCREENS[current];
  const means = { say, areKeysShown, showKeys };
  return (
    <>
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
          {status.name}
          {status.name === "Live" && view?.access === "read" && ", read-only"}
        </span>
        <output>{said}</output>
      </header>
      <main>
        {status.name === "Disconnected" && (
          <Notice>
            Disconnected: {status.why}. {view !== undefined && "What is below is no longer new. "}
            <button type="button" onClick={again}>
              Try now
            </button>
          </Notice>
        )}
        {status.name === "Signed out" ? (
          <SignIn again={again} />
        ) : view === undefined || point === undefined ? (
          <p class="quiet">Waiting for the first numbers …</p>
        ) : (
          <Now.Provider value={point.atMs}>
            <Problems view={view} />
            {named === undefined ? (
              <Screen {...means} view={view} point={point} />
            ) : (
              <KeyScreen key={key} named={named} {...means} view={view} point={point} />
            )}
          </Now.Provider>
        )}
      </main>
    </>
  );
}

/** The key of a detail's address; `undefined` for a link that was cut. */
function namedIn(text: string): NamedKey | undefined {
  try {
    return JSON.parse(decodeURIComponent(text)) as NamedKey;
  } catch {
    return undefined;
  }
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
        onSubmit={(event) =>
          void post(ROUTES.session, fieldsOf(event)).then(again, (error: unknown) => setProblem(messageOf(error)))
        }
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
