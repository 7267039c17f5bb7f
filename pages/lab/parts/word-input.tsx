/** An input line with completion of words (a combobox as in the ARIA practices) and a history of lines. */
import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "../language/texts.js";

interface Words {
  readonly from: number;
  readonly words: readonly { readonly text: string; readonly note?: string }[];
}

interface Props {
  label: string;
  placeholder: string;
  input: RefObject<HTMLInputElement | null>;
  text: string;
  setText: (text: string) => void;
  invalid: boolean;
  /** Earlier lines, the oldest first: the key arrow up shows them again. */
  past: readonly string[];
  complete: (line: string, cursor: number) => Promise<Words>;
}

let lists = 0;

export function WordInput({ label, placeholder, input, text, setText, invalid, past, complete }: Props) {
  const id = useRef(`words-${++lists}`).current;
  const [found, setFound] = useState<Words>();
  const [at, setAt] = useState(-1);
  const back = useRef(0);
  const asked = useRef(0);
  const open = found !== undefined && found.words.length > 0;

  const suggest = async (line: string, cursor: number) => {
    const number = ++asked.current;
    const words = await complete(line, cursor);
    if (number !== asked.current || document.activeElement !== input.current) return;
    setFound(words);
    setAt(-1);
  };
  const close = () => {
    asked.current++;
    setFound(undefined);
    setAt(-1);
  };
  const take = (index: number) => {
    const word = found!.words[index]!.text;
    const cursor = input.current!.selectionStart ?? text.length;
    const rest = text.slice(cursor);
    const gap = /[=[(/]$/.test(word) || rest.startsWith(" ") ? "" : " ";
    const start = text.slice(0, found!.from) + word + gap;
    setText(start + rest);
    close();
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(start.length, start.length);
      void suggest(start + rest, start.length);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (open && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault();
      const count = found.words.length;
      setAt(key === "ArrowDown" ? (at + 1) % count : (at <= 0 ? count : at) - 1);
    } else if (open && at >= 0 && (key === "Enter" || key === "Tab")) {
      event.preventDefault();
      take(at);
    } else if (key === "Escape" && open) {
      event.stopPropagation();
      close();
    } else if (key === " " && event.ctrlKey) {
      event.preventDefault();
      void suggest(text, input.current?.selectionStart ?? text.length);
    } else if (!open && (key === "ArrowUp" || key === "ArrowDown") && past.length > 0) {
      event.preventDefault();
      back.current = Math.max(0, Math.min(past.length, back.current + (key === "ArrowUp" ? 1 : -1)));
      setText(past[past.length - back.current] ?? "");
    } else if (key === "Enter") {
      back.current = 0;
      close();
    }
  };
  return (
    <div class="words">
      <input
        ref={input}
        type="text"
        class="mono"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={open && at >= 0 ? `${id}-${at}` : undefined}
        aria-invalid={invalid}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          void suggest(currentTarget.value, currentTarget.selectionStart ?? currentTarget.value.length);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setTimeout(close, 150)}
      />
      {open ? (
        <div class="suggestions" role="listbox" id={id} aria-label={t("statement.words")}>
          {found.words.slice(0, 40).map((word, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus, aria-activedescendant tells the choice
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the input
            <div
              key={word.text}
              role="option"
              id={`${id}-${index}`}
              aria-selected={index === at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(index)}
            >
              <span class="mono">{word.text}</span> <span class="quiet small">{word.note}</span>
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}
