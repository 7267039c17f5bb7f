/** Tabs as the ARIA practices describe them: the tab key stops once; arrow keys, `home` and `end` select a tab. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { SCROLLED } from "./scrolled.js";

export interface Tab {
  name: string;
  title: string;
  /** A short figure next to the title, such as a count. */
  mark?: string | undefined;
  content: () => ComponentChildren;
}

interface Props {
  id: string;
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  choose: (name: string) => void;
}

const STEP: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs({ id, label, tabs, chosen, choose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const current = tabs.find(({ name }) => name === chosen) ?? tabs[0]!;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEP[event.key];
    const index = tabs.indexOf(current);
    let next: number;
    if (step !== undefined) next = (index + step + tabs.length) % tabs.length;
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = tabs.length - 1;
    else return;
    event.preventDefault();
    choose(tabs[next]!.name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <section class="tabs" aria-label={label}>
      <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name, title, mark }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${name}`}
            aria-controls={`${id}-panel`}
            aria-selected={name === current.name}
            tabIndex={name === current.name ? 0 : -1}
            onClick={() => choose(name)}
          >
            {title}
            {mark === undefined ? null : <span class="mark">{mark}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        class={`panel panel-${current.name}`}
        aria-labelledby={`${id}-tab-${current.name}`}
        {...SCROLLED}
      >
        {current.content()}
      </div>
    </section>
  );
}
