/** Delays replies of a lab until a test releases them: this produces orders that occur by chance on a busy machine. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

export class HeldAnswers {
  /** The kind of request whose replies are held. */
  #op: string | undefined;
  /** Numbers of such requests that have no reply yet. */
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

  /** Holds the replies to all future requests of a kind. */
  hold(op: string): void {
    this.#op = op;
  }

  /** Waits until a reply is held. */
  async isHeld(): Promise<void> {
    await expect.poll(() => this.#held.length, { timeout: 20_000 }).toBeGreaterThan(0);
  }

  /** Sends the held replies, the newest first, and stops holding. */
  release(): void {
    this.#op = undefined;
    for (const message of this.#held.splice(0).reverse()) this.#send(message);
  }
}
