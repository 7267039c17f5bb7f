/** Shows a text of the language service in a tooltip of the editor. */
import { render } from "preact";
import { Markdown } from "../parts/markdown.js";

/** `destroy` removes the element's content when the tooltip closes. */
export function note(text: string): { dom: HTMLElement; destroy(): void } {
  const dom = document.createElement("div");
  dom.className = "cm-note";
  render(<Markdown text={text} />, dom);
  return { dom, destroy: () => render(null, dom) };
}
