import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../language/texts.js";

interface Actions {
  help: () => void;
  run: () => void;
  step: () => void;
}

/** Keys of the whole page. They have no effect in a text input, and where a key has another meaning. */
export function useKeys(actions: Actions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (target.closest("input, textarea, select, [contenteditable], .xterm, dialog") !== null) return;
      if (event.key === "?") latest.current.help();
      else if (event.key === "n") latest.current.step();
      else if (event.key === " " && target.closest("button, summary, a, [role=tab]") === null)
        latest.current.run();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

const KEYS = [
  ...(["run", "step", "arrows", "enter", "break", "save", "tabs", "nextError", "complete"] as const),
  ...(["describe", "definition", "rename", "format", "story"] as const),
];

export function Help({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">{t("help.title")}</h2>
      <table>
        <tbody>
          {KEYS.map((key) => (
            <tr key={key}>
              <td>
                <kbd>{t(`help.key.${key}`)}</kbd>
              </td>
              <td>{t(`help.does.${key}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog" class="row" style={{ marginTop: "12px" }}>
        <span class="room" />
        <button type="submit">{t("page.close")}</button>
      </form>
    </dialog>
  );
}
