/** The page's end of a connection to a lab, over any channel that carries messages in both directions. */
import type {
  LabConnection,
  LabEvent,
  LabMessage,
  LabReply,
  LabRequestInput,
} from "../../../src/course/lab/index.js";

interface Waiting {
  resolve: (reply: LabReply) => void;
  reject: (error: Error) => void;
}

export interface Carrier {
  send(message: { id: number; request: LabRequestInput }): void;
  close(): void;
}

export class MessageConnection implements LabConnection {
  #last = 0;
  #lost: Error | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(event: LabEvent) => void>();

  constructor(private readonly carrier: Carrier) {}

  request<Request extends LabRequestInput>(request: Request): Promise<LabReply<Request["op"]>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) return reject(this.#lost);
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.carrier.send({ id, request });
    });
  }

  subscribe(listener: (event: LabEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.carrier.close();
  }

  /** To be called for each message that the channel receives. */
  receive(message: LabMessage): void {
    if ("event" in message) {
      for (const listener of [...this.#listeners]) listener(message.event);
      return;
    }
    this.#waiting.get(message.id)?.resolve(message.reply);
    this.#waiting.delete(message.id);
  }

  /** To be called when the channel is closed: rejects all present and future requests. */
  lose(reason: string): void {
    this.#lost = new Error(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
  }
}
