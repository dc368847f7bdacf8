import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { type ActAnswer, type ActRequest, ROUTES } from "../snapshot.ts";
import { messageOf, post } from "./connection.ts";
import { Notice, Text } from "./text.tsx";

/** The fields of a form that is sent, without those that are empty. The page itself stays. */
export function fieldsOf(event: { preventDefault(): void; readonly currentTarget: HTMLFormElement }) {
  event.preventDefault();
  const fields = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "");
  return Object.fromEntries(fields) as Readonly<Record<string, string>>;
}

/** A button that changes something after the operator has confirmed it. The fields belong to the request. */
export function Action(props: {
  readonly label: string;
  readonly of: string;
  readonly children: ComponentChildren;
  readonly request: Partial<ActRequest>;
  readonly say: (text: string) => void;
}) {
  const { label, of, children, request, say } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState("");
  const act = async (fields: object): Promise<void> => {
    try {
      const { text } = await post<ActAnswer>(ROUTES.act, { ...request, ...fields });
      dialog.current?.close();
      say(text);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-label={label} onClose={() => setProblem("")}>
        <form onSubmit={(event) => void act(fieldsOf(event))}>
          <h2>
            {label} <Text text={of} />?
          </h2>
          {children}
          {problem !== "" && <Notice>{problem}</Notice>}
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="first">
            {label}
          </button>
        </form>
      </dialog>
    </>
  );
}

/** How long something holds. */
export function For() {
  return (
    <label>
      For how long, such as 10m or 2h
      <input name="for" value="10m" required autocomplete="off" />
    </label>
  );
}
