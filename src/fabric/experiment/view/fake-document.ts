/**
 * The part of a DOM that Observable Plot needs to draw an SVG: elements, attributes, text, and printing. With it the package does
 * not depend on a browser engine.
 */
import { escapeMarkup } from "../../../base/index.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

class FakeText {
  parentNode: FakeElement | null = null;
  constructor(public nodeValue: string) {}
}

type FakeNode = FakeElement | FakeText;

class FakeElement {
  readonly childNodes: FakeNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly style = {
    setProperty: (name: string, value: string) => this.#addStyle(name, value),
  };
  parentNode: FakeElement | null = null;

  constructor(
    readonly ownerDocument: FakeDocument,
    readonly namespaceURI: string,
    readonly tagName: string,
  ) {}

  get nodeName(): string {
    return this.tagName;
  }
  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }
  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }
  get nextSibling(): FakeNode | null {
    const siblings: FakeNode[] = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  set textContent(text: string) {
    this.childNodes.length = 0;
    if (text !== "") this.appendChild(new FakeText(String(text)));
  }
  get textContent(): string {
    return this.childNodes
      .map((node) => (node instanceof FakeText ? node.nodeValue : node.textContent))
      .join("");
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }
  setAttributeNS(_namespace: string, name: string, value: unknown): void {
    this.setAttribute(name, value);
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  addEventListener(): void {}

  appendChild<T extends FakeNode>(node: T): T {
    return this.insertBefore(node, null);
  }
  insertBefore<T extends FakeNode>(node: T, before: FakeNode | null): T {
    node.parentNode?.removeChild(node);
    node.parentNode = this;
    const at = before === null ? -1 : this.childNodes.indexOf(before);
    if (at < 0) this.childNodes.push(node);
    else this.childNodes.splice(at, 0, node);
    return node;
  }
  removeChild<T extends FakeNode>(node: T): T {
    const at = this.childNodes.indexOf(node);
    if (at >= 0) this.childNodes.splice(at, 1);
    node.parentNode = null;
    return node;
  }
  append(...nodes: (FakeNode | string)[]): void {
    for (const node of nodes) this.appendChild(typeof node === "string" ? new FakeText(node) : node);
  }
  prepend(...nodes: (FakeNode | string)[]): void {
    const first = this.firstChild;
    for (const node of nodes) this.insertBefore(typeof node === "string" ? new FakeText(node) : node, first);
  }

  #addStyle(name: string, value: string): void {
    const before = this.attributes.get("style");
    this.attributes.set("style", `${before === undefined ? "" : `${before};`}${name}:${value}`);
  }
}

export class FakeDocument {
  readonly documentElement = new FakeElement(this, SVG_NAMESPACE, "svg");
  readonly defaultView = null;
  createElementNS(namespace: string, name: string): FakeElement {
    return new FakeElement(this, namespace, name);
  }
  createElement(name: string): FakeElement {
    return this.createElementNS("http://www.w3.org/1999/xhtml", name);
  }
  createTextNode(text: string): FakeText {
    return new FakeText(text);
  }
}

/** The markup of a node that was made by a {@link FakeDocument}. */
export function printNode(node: unknown): string {
  if (node instanceof FakeText) return escapeMarkup(node.nodeValue);
  const element = node as FakeElement;
  const attributes = [...element.attributes]
    .map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
    .join("");
  // A style sheet is text that must not be escaped.
  const content =
    element.tagName === "style" ? element.textContent : element.childNodes.map(printNode).join("");
  return `<${element.tagName}${attributes}>${content}</${element.tagName}>`;
}
