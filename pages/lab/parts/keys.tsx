import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

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

const KEYS: readonly [string, string][] = [
  ["Space", "runs and pauses the clock"],
  ["N", "steps to the next arrival of a packet"],
  ["Arrow keys in the network", "move between nodes and links"],
  ["Enter there", "selects a node or a link and shows its figures and actions"],
  ["B there", "breaks a link or a switch, or repairs it"],
  ["Ctrl+S in the editor", "compiles the program and loads it into the switches"],
  ["Ctrl+M in the editor", "switches the tab key between leaving the editor and inserting tabs"],
  ["F8 in the editor", "goes to the next error"],
  ["Ctrl+Space", "completes a word in the editor and in statements"],
  ["Ctrl+I in the editor", "describes the word at the cursor, as a pointer on it does"],
  ["F12 in the editor", "goes to the declaration of a name, as Ctrl+click does"],
  ["F2 in the editor", "renames a name everywhere"],
  ["Shift+Alt+F in the editor", "formats the file"],
  ["Arrow keys in a story", "go from step to step; the P4 line is shown"],
];

export function Help({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <table>
        <tbody>
          {KEYS.map(([key, text]) => (
            <tr key={key}>
              <td>
                <kbd>{key}</kbd>
              </td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog" class="row" style={{ marginTop: "12px" }}>
        <span class="room" />
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
