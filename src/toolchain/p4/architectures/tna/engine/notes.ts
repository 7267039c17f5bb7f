/** What the switch does not do as the hardware does, each with the place in the program. */
import type { Diagnostics, Span } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";

export class Notes {
  readonly #seen = new Set<string>();

  constructor(readonly diagnostics: Diagnostics) {}

  /** Adds a warning once for each text. */
  add(span: Span | undefined, text: string, effect: string): void {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.diagnostics.warning(CODES.notModelled, span, text, effect);
  }
}
