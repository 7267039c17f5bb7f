/** A flow that an agent sends, with its events in order. */
import { defined } from "../../../base/index.js";
import { type AgentEvent, monotonicNs, type TcpInfo } from "../../host-agent/index.js";
import { CODES } from "../codes.js";
import { agentFailure } from "./failure.js";

export interface FlowOptions {
  /** Address of the other host; 32 or 128 bits. */
  readonly to: bigint;
  readonly ipVersion: 4 | 6;
  /** Port of the other host on which an agent, or another program, listens. */
  readonly port: number;
  /** Absent: the kernel chooses one. */
  readonly clientPort?: number;
  /** Whether the host's policy may choose another client port; default: no. */
  readonly policyPort?: boolean;
  /** Absent: the flow continues until it is stopped. */
  readonly bytes?: number;
  /** Payload of a full segment; absent: what fits the MTU. */
  readonly segmentBytes?: number;
  /** Maximum number of segments in flight, needs `segmentBytes`; absent: the kernel's window limits them. */
  readonly windowSegments?: number;
  /** Congestion control by the kernel's name; absent: the kernel's default. */
  readonly congestion?: string;
  /** The sender closes the connection after the last byte, so that the receiver reports it: see `Agent.onReceived`. */
  readonly finish?: boolean;
  /** Nanoseconds of CLOCK_MONOTONIC; absent: at once. */
  readonly startNs?: number;
}

/** Times are nanoseconds of CLOCK_MONOTONIC, the clock of `process.hrtime`. */
export type FlowEvent =
  | { readonly kind: "started"; readonly atNs: number; readonly clientPort: number }
  | { readonly kind: "connected"; readonly atNs: number }
  /** The kernel's retransmission timer expired, for the `attempt`-th time since the last progress. */
  | {
      readonly kind: "timeout";
      readonly atNs: number;
      readonly attempt: number;
      /** The selectors of the retransmission, one for each copy. */
      readonly selectors: readonly number[];
    }
  /** New data were acknowledged after `attempts` timeouts; `triedAtNs`: when the successful retransmission was sent. */
  | {
      readonly kind: "recovered";
      readonly atNs: number;
      readonly triedAtNs: number;
      readonly attempts: number;
      /** The selector that the flow uses from now on. */
      readonly selector: number;
    }
  | ({ readonly kind: "finished"; readonly atNs: number } & FlowResult)
  /** The connection was refused or reset, or the kernel aborted it. */
  | { readonly kind: "failed"; readonly atNs: number; readonly text: string };

export interface FlowResult {
  /** The flow was stopped before its end, or it has no end. */
  readonly stopped: boolean;
  /** Acknowledged by the other end. */
  readonly bytes: number;
  /** From the first SYN to the last acknowledgement, or to the stop. */
  readonly fctNs: number | undefined;
  /** Timeouts that the agent observed; segments that the kernel retransmitted, and its figures at the end. */
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

  /** Made by `Agent.flow`. `stop` asks the agent to end the flow. */
  constructor(
    readonly options: FlowOptions,
    stop: () => void,
  ) {
    this.#stop = stop;
    this.#finished = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A failure is no unhandled rejection when no code waits for the end: the events report it.
    this.#finished.catch(() => {});
  }

  /** The result of the flow; rejects with DiagnosticError P43172 when the flow or its agent fails. */
  get finished(): Promise<FlowResult> {
    return this.#finished;
  }

  /** Calls back for every event from the first one on, including past ones; returns a function that ends this. */
  onEvent(listener: (event: FlowEvent) => void): () => void {
    for (const event of this.#events) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** All events until the end. Several loops may read them. */
  async *[Symbol.asyncIterator](): AsyncIterator<FlowEvent> {
    for (let next = 0; ; ) {
      while (next < this.#events.length) yield defined(this.#events[next++]);
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

  /** Ends the flow: its connection is reset, and {@link finished} has the bytes that were acknowledged. */
  stop(): Promise<FlowResult> {
    if (!this.#over) this.#stop();
    return this.#finished;
  }

  /** Called by the agent for each event of this flow. */
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

  /** Called by the agent when the flow cannot continue. */
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
