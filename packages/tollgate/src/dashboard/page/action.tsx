import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { type ActAnswer, type ActRequest, ROUTES } from "../snapshot.ts";
import { messageOf, post } from "./connection.ts";
import { Notice, Text } from "./text.tsx";

type Field = (name: string) => string;

/** Reads the fields of a form that is sent. The page itself stays. */
export function fieldsOf(event: { preventDefault(): void; readonly currentTarget: HTMLFormElement }): Field {
  event.preventDefault();
  const form = new FormData(event.currentTarget);
  return (name) => {
    const value = form.get(name);
    return typeof value === "string" ? value : "";
  };
}

/** A button that changes something after the operator has confirmed it. */
export function Action(props: {
  readonly label: string;
  /** What the operator confirms, and of what. */
  readonly title: string;
  readonly of: string;
  readonly children: ComponentChildren;
  readonly request: (field: Field) => ActRequest;
  readonly say: (text: string) => void;
}) {
  const { label, title, of, children, request, say } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState("");
  const act = async (field: Field): Promise<void> => {
    try {
      const { text, silent } = await post<ActAnswer>(ROUTES.act, request(field));
      dialog.current?.close();
      say(silent.length === 0 ? text : `${text} Workers that have not confirmed it yet: ${silent.join(", ")}.`);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => {
          setProblem("");
          dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-label={label}>
        <form onSubmit={(event) => void act(fieldsOf(event))}>
          <h2>
            {title} <Text text={of} />?
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
