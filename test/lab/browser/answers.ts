/** Answers of a lab that reach the page when a test says so: an order that a busy machine brings about by chance. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

export class HeldAnswers {
  /** The kind of request whose answers are held. */
  #op: string | undefined;
  /** Numbers of such requests that have no answer yet. */
  readonly #asked = new Set<number>();
  readonly #held: string[] = [];
  #send: (message: string) => void = () => {};

  /** To be called before the page is opened. */
  static async of(page: Page): Promise<HeldAnswers> {
    const answers = new HeldAnswers();
    await page.routeWebSocket(/\/socket/, (socket) => {
      const server = socket.connectToServer();
      answers.#send = (message) => socket.send(message);
      socket.onMessage((message) => {
        const { id, request } = JSON.parse(String(message)) as { id: number; request: { op: string } };
        if (request.op === answers.#op) answers.#asked.add(id);
        server.send(message);
      });
      server.onMessage((message) => answers.#hear(String(message)));
    });
    return answers;
  }

  #hear(message: string): void {
    const { id } = JSON.parse(message) as { id?: number };
    if (id !== undefined && this.#asked.delete(id)) this.#held.push(message);
    else this.#send(message);
  }

  /** Holds the answers of requests of a kind that are sent from now on. */
  hold(op: string): void {
    this.#op = op;
  }

  /** Waits until an answer is held. */
  async isHeld(): Promise<void> {
    await expect.poll(() => this.#held.length, { timeout: 20_000 }).toBeGreaterThan(0);
  }

  /** Sends the answers that are held, the newest first, and holds no more. */
  release(): void {
    this.#op = undefined;
    for (const message of this.#held.splice(0).reverse()) this.#send(message);
  }
}
