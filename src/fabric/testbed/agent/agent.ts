/** The agent of one host: starts it, requests listeners, flows and probes, and ends it. */

import type { Json } from "../../../base/index.js";
import { given } from "../../../base/index.js";
import { agentCommand } from "../../../toolchain/loading/index.js";
import {
  type AgentEvent,
  type AgentSetting,
  type AgentStatistics,
  type Arriving,
  eventSchema,
  type RequestText,
} from "../../host-agent/index.js";
import { CODES } from "../codes.js";
import type { HostProcess, RunningHost } from "../testbed.js";
import { type AgentConfig, addressText, startRequest } from "./config.js";
import { agentFailure } from "./failure.js";
import { AgentFlow, type FlowOptions } from "./flow.js";
import { type ProbeOptions, type ProbeOutcome, probeRequest } from "./probe.js";

/** An agent that prints nothing for this time after its start has failed, in milliseconds. */
const START_MS = 60_000;
/** Milliseconds from the request to stop until the process is killed. */
const STOP_MS = 3000;

/** A request that has an answer, without its id. */
type WithoutId = RequestText extends infer R ? (R extends { id: number } ? Omit<R, "id"> : never) : never;

/** An accepted connection whose data have all arrived; times are nanoseconds of CLOCK_MONOTONIC. */
export type Received = Arriving & { readonly atNs: number };

interface Waiting {
  resolve(event: AgentEvent): void;
  reject(reason: unknown): void;
}

export class Agent {
  readonly #host: string;
  readonly #process: HostProcess;
  readonly #flows = new Map<number, AgentFlow>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(message: Json) => void>();
  readonly #receivedListeners = new Set<(received: Received) => void>();
  #nextId = 1;
  #ended: string | undefined;
  #stopping: Promise<void> | undefined;
  /** The requested settings that the kernel accepted. */
  readonly settings: readonly AgentSetting[];

  /** Called by {@link startAgent}, which gives all later lines of the process to {@link take}. */
  constructor(host: string, process: HostProcess, settings: readonly AgentSetting[]) {
    this.#host = host;
    this.#process = process;
    this.settings = settings;
    void process.exited.then((status) => this.#end(status));
  }

  /**
   * Accepts connections on a port of all the host's addresses and discards their data. `congestion`: the congestion control of these
   * connections, by the kernel's name. P43171 if the agent cannot listen.
   */
  async listen(port: number, congestion?: string): Promise<void> {
    await this.#ask({ op: "listen", port, ...given({ congestion }) });
  }

  /** Calls back when all data of an accepted connection and its end have arrived; returns a function that stops this. */
  onReceived(listener: (received: Received) => void): () => void {
    this.#receivedListeners.add(listener);
    return () => this.#receivedListeners.delete(listener);
  }

  /** Accepted connections whose end has not arrived, with the bytes that have. */
  async receiving(): Promise<readonly Arriving[]> {
    const event = await this.#ask({ op: "receiving" });
    if (event.event !== "receiving") throw new Error(`an answer about connections was ${event.event}`);
    return event.connections;
  }

  /** Starts a flow. An error of the flow is its `failed` event. */
  flow(options: FlowOptions): AgentFlow {
    const id = this.#nextId++;
    const flow = new AgentFlow(options, () => this.#send({ op: "stop-flow", id }));
    if (this.#ended !== undefined) {
      flow.fail(this.#ended);
      return flow;
    }
    this.#flows.set(id, flow);
    const { to, ipVersion, ...rest } = options;
    this.#send({ op: "flow", id, ...rest, to: addressText(to, ipVersion) });
    return flow;
  }

  /**
   * Finds out which selectors have working paths to another host with an agent, for each direction. P43171 when the request
   * is wrong, P43172 when the agent ends meanwhile.
   */
  async probe(options: ProbeOptions): Promise<ProbeOutcome> {
    const event = await this.#ask(probeRequest(options));
    if (event.event !== "probed") throw new Error(`an answer to a probe was ${event.event}`);
    const { forward, reverse, minRttNs } = event;
    return { forward, reverse, minRttNs: minRttNs ?? undefined };
  }

  /** The answer of the host's policy. P43171 where it takes no messages, P43172 when the agent ends meanwhile. */
  async message(message: Json): Promise<Json> {
    const event = await this.#ask({ op: "message", message });
    if (event.event !== "answer") throw new Error(`an answer to a message was ${event.event}`);
    return event.message;
  }

  /** Calls back with each message of the host's policy to the controllers; returns a function that stops this. */
  onTold(listener: (message: Json) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async statistics(): Promise<AgentStatistics> {
    const event = await this.#ask({ op: "statistics" });
    if (event.event !== "statistics") throw new Error(`an answer about statistics was ${event.event}`);
    const { event: _event, id: _id, ...statistics } = event;
    return statistics;
  }

  /** Ends the agent, which restores the settings of its host. Further calls have no effect. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      this.#send({ op: "stop" });
      const late = setTimeout(() => void this.#process.kill(), STOP_MS);
      await this.#process.exited;
      clearTimeout(late);
    })();
    return this.#stopping;
  }

  #send(request: RequestText): void {
    if (this.#ended === undefined) this.#process.write(JSON.stringify(request));
  }

  #ask(request: WithoutId): Promise<AgentEvent> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(agentFailure(CODES.flowFailed, this.#ended));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      this.#send({ ...request, id } as RequestText);
    });
  }

  /** For {@link startAgent}: the agent printed a line. A line that is no event ends the agent. */
  take(line: string): void {
    const event = readEvent(line);
    if (event === undefined) {
      this.#break(`printed a line that is no event: ${excerpt(line)}`);
      void this.#process.kill();
      return;
    }
    if (event.event === "told") {
      for (const listener of [...this.#listeners]) listener(event.message);
      return;
    }
    if (event.event === "received") {
      for (const listener of [...this.#receivedListeners]) listener(event);
      return;
    }
    const id = "id" in event ? event.id : null;
    if (id === null) return;
    const flow = this.#flows.get(id);
    if (flow !== undefined) {
      if (event.event === "error") flow.fail(`the agent on ${this.#host}: ${event.text}`);
      else flow.take(event);
      if (["finished", "failed", "error"].includes(event.event)) this.#flows.delete(id);
      return;
    }
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (event.event === "error") {
      waiting.reject(agentFailure(CODES.agentRequest, `the agent on ${this.#host}: ${event.text}`));
    } else {
      waiting.resolve(event);
    }
  }

  #end(status: number): void {
    this.#break(this.#stopping === undefined ? `ended with status ${status}` : "was stopped");
  }

  /** All flows and requests in progress fail, with the first reason that is given. */
  #break(reason: string): void {
    this.#ended ??= [`the agent on ${this.#host} ${reason}`, ...lastLines(this.#process).slice(-1)].join(
      ": ",
    );
    for (const flow of this.#flows.values()) flow.fail(this.#ended);
    this.#flows.clear();
    for (const waiting of this.#waiting.values()) waiting.reject(agentFailure(CODES.flowFailed, this.#ended));
    this.#waiting.clear();
  }
}

/**
 * Starts the agent on a host: from then on the host's addresses belong to it. Throws DiagnosticError P43170, with the
 * agent's message, when it cannot start.
 */
export async function startAgent(host: RunningHost, config: AgentConfig): Promise<Agent> {
  const process = host.spawn(agentCommand());
  return await new Promise<Agent>((resolve, reject) => {
    let agent: Agent | undefined;
    // After an error the agent restores the host's settings, and ends.
    let error: string | undefined;
    const refuse = (text: string) => {
      clearTimeout(timer);
      reject(
        agentFailure(
          CODES.agentStart,
          `the agent on ${host.name} does not start: ${text}`,
          ...lastLines(process),
        ),
      );
    };
    const timer = setTimeout(() => {
      void process.kill();
      refuse(error ?? `it has printed nothing for ${START_MS / 1000} s`);
    }, START_MS);
    process.onLine((line) => {
      if (agent !== undefined) return agent.take(line);
      const event = readEvent(line);
      if (event === undefined) {
        void process.kill();
        refuse(`it printed a line that is no event: ${excerpt(line)}`);
      } else if (event.event === "error") error = event.text;
      else if (event.event === "ready") {
        clearTimeout(timer);
        // Without a wait: its next lines may be in the same chunk.
        agent = new Agent(host.name, process, event.settings);
        resolve(agent);
      }
    });
    void process.exited.then((status) => refuse(error ?? `it ended with status ${status}`));
    process.write(JSON.stringify(startRequest(config)));
  });
}

/** Undefined for a line that is no event of the agent: another program, or another part of this one, printed it. */
function readEvent(line: string): AgentEvent | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function excerpt(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}

function lastLines(process: HostProcess): string[] {
  return process.stderr
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-5);
}
