/** Events for the pages. The number of texts is limited for each frame, because a network can produce any number. */
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

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  send(event: LabEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Sends an event, unless there were too many since the last frame. */
  sendText(event: LabEvent): void {
    if (this.#texts++ < MAX_TEXTS) this.send(event);
    else this.#leftOut++;
  }

  frame(): void {
    this.#texts = 0;
    if (this.#leftOut === 0) return;
    const text = `${this.#leftOut} lines were omitted: there were too many for one frame`;
    this.#leftOut = 0;
    this.send({ kind: "notice", severity: "info", text });
  }
}
