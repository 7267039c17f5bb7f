/** A text of the language service as an element of the editor's tooltips. */
import { render } from "preact";
import { Markdown } from "../parts/markdown.js";

/** Gives up what is drawn when the tooltip goes. */
export function note(text: string): { dom: HTMLElement; destroy(): void } {
  const dom = document.createElement("div");
  dom.className = "cm-note";
  render(<Markdown text={text} />, dom);
  return { dom, destroy: () => render(null, dom) };
}
