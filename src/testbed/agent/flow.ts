/** A flow that an agent sends: what happens to it, in order. */
import { type AgentEvent, monotonicNs, type TcpInfo } from "../../host-agent/index.js";
import { CODES } from "../codes.js";
import { agentFailure } from "./failure.js";

export interface FlowOptions {
  /** Address of the other host; 32 or 128 bits. */
  readonly to: bigint;
  readonly ipVersion: 4 | 6;
  /** Port that an agent (or anything else) listens on there. */
  readonly port: number;
  /** Absent: the kernel chooses one. */
  readonly clientPort?: number;
  /** Whether the host's policy may choose another client port; no unless given. */
  readonly policyPort?: boolean;
  /** Absent: the flow goes on until it is stopped. */
  readonly bytes?: number;
  /** Payload of a full segment; absent: what fits the MTU. */
  readonly segmentBytes?: number;
  /** Segments that may be under way at once, needs `segmentBytes`; absent: as many as the kernel's window allows. */
  readonly windowSegments?: number;
  /** Congestion control by the kernel's name; absent: the kernel's default. */
  readonly congestion?: string;
  /** The receiver hears of the end after the last byte: see `Agent.onReceived`. */
  readonly finish?: boolean;
  /** Nanoseconds of CLOCK_MONOTONIC; absent: at once. */
  readonly startNs?: number;
}

/** Times are nanoseconds of CLOCK_MONOTONIC, as `process.hrtime` has them. */
export type FlowEvent =
  | { readonly kind: "started"; readonly atNs: number; readonly clientPort: number }
  | { readonly kind: "connected"; readonly atNs: number }
  /** The kernel's retransmission timer ran out, for the `attempt`-th time since the last progress. */
  | {
      readonly kind: "timeout";
      readonly atNs: number;
      readonly attempt: number;
      /** What the retransmission left on, one copy each. */
      readonly selectors: readonly number[];
    }
  /** Data were acknowledged again after `attempts` timeouts; `triedAtNs`: when the retransmission that did it left. */
  | {
      readonly kind: "recovered";
      readonly atNs: number;
      readonly triedAtNs: number;
      readonly attempts: number;
      /** On which the flow goes on. */
      readonly selector: number;
    }
  | ({ readonly kind: "finished"; readonly atNs: number } & FlowResult)
  /** The connection was refused, reset, or given up by the kernel. */
  | { readonly kind: "failed"; readonly atNs: number; readonly text: string };

export interface FlowResult {
  /** It was stopped before its end, or had none. */
  readonly stopped: boolean;
  /** Acknowledged by the other end. */
  readonly bytes: number;
  /** From the first SYN to the last acknowledgement, or to the stop. */
  readonly fctNs: number | undefined;
  /** Timeouts that the agent saw; segments that the kernel sent again, and its figures at the end. */
  readonly timeouts: number;
  readonly tcp: TcpInfo | undefined;
}

export class AgentFlow {
  readonly #events: FlowEvent[] = [];
  readonly #listeners = new Set<(event: FlowEvent) => void>();
  readonly #stop: () => void;
  readonly #finished: Promise<FlowResult>;
  #settle!: { resolve(result: FlowResult): void; reject(reason: Error): void };
  #over = false;

  /** Agents make them: see `Agent.flow`. `stop` asks the agent to end it. */
  constructor(
    readonly options: FlowOptions,
    stop: () => void,
  ) {
    this.#stop = stop;
    this.#finished = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A flow whose end nobody waits for may fail in peace: its events tell.
    this.#finished.catch(() => {});
  }

  /** Its end; rejects with DiagnosticError P43172 when the flow or its agent fails. */
  get finished(): Promise<FlowResult> {
    return this.#finished;
  }

  /** Calls back for every event, from the first one on, even if it came before; returns how to stop. */
  onEvent(listener: (event: FlowEvent) => void): () => void {
    for (const event of this.#events) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** All events until the end; more loops may run over it. */
  async *[Symbol.asyncIterator](): AsyncIterator<FlowEvent> {
    for (let next = 0; ; ) {
      while (next < this.#events.length) yield this.#events[next++]!;
      if (this.#over) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#listeners.delete(wake);
          resolve();
        };
        this.#listeners.add(wake);
      });
    }
  }

  /** Ends the flow: its connection is reset, and {@link finished} tells how far it came. */
  stop(): Promise<FlowResult> {
    if (!this.#over) this.#stop();
    return this.#finished;
  }

  /** For the agent: an event of this flow came. */
  take(message: AgentEvent): void {
    switch (message.event) {
      case "started":
        this.#add({ kind: "started", atNs: message.atNs, clientPort: message.clientPort });
        break;
      case "connected":
        this.#add({ kind: "connected", atNs: message.atNs });
        break;
      case "timeout": {
        const { atNs, attempt, selectors } = message;
        this.#add({ kind: "timeout", atNs, attempt, selectors });
        break;
      }
      case "recovered": {
        const { atNs, triedAtNs, attempts, selector } = message;
        this.#add({ kind: "recovered", atNs, triedAtNs, attempts, selector });
        break;
      }
      case "finished": {
        const { stopped, bytes, timeouts, tcp } = message;
        const result: FlowResult = { stopped, bytes, fctNs: message.fctNs ?? undefined, timeouts, tcp };
        this.#over = true;
        this.#settle.resolve(result);
        this.#add({ kind: "finished", atNs: message.atNs, ...result });
        break;
      }
      case "failed":
        this.fail(message.text, message.atNs);
        break;
    }
  }

  /** For the agent: the flow cannot go on. */
  fail(text: string, atNs = monotonicNs()): void {
    if (this.#over) return;
    this.#over = true;
    this.#settle.reject(agentFailure(CODES.flowFailed, text));
    this.#add({ kind: "failed", atNs, text });
  }

  #add(event: FlowEvent): void {
    this.#events.push(event);
    for (const listener of [...this.#listeners]) listener(event);
  }
}
