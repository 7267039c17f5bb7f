/** Events for the pages. Texts, of which a network can make any number, are bounded a frame. */
import type { LabEvent } from "./protocol.js";

const MAX_TEXTS = 100;

export class Outbox {
  readonly #listeners = new Set<(event: LabEvent) => void>();
  #texts = 0;
  #leftOut = 0;

  subscribe(listener: (event: LabEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  send(event: LabEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** An event that is left out when there were too many since the last frame. */
  sendText(event: LabEvent): void {
    if (this.#texts++ < MAX_TEXTS) this.send(event);
    else this.#leftOut++;
  }

  frame(): void {
    this.#texts = 0;
    if (this.#leftOut === 0) return;
    const text = `${this.#leftOut} lines are left out: they came too fast`;
    this.#leftOut = 0;
    this.send({ kind: "notice", severity: "info", text });
  }
}
