/** The flows of a lab: starts them, finds them by their packets, stops them. */
import { fail, given, type Random } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { LabNetwork } from "../network.js";
import type { FlowView, Traffic } from "../protocol.js";
import { type Flow, startPing, startTcp, startUdp } from "./flow.js";
import { Servers } from "./servers.js";

/** Maximum number of flows in the list; those that have ended are deleted first. */
const MAX_FLOWS = 100;

export class Flows {
  readonly #flows = new Map<number, Flow>();
  readonly #keys = new Map<string, number>();
  readonly #servers = new Servers();
  #next = 1;

  constructor(
    readonly lab: LabNetwork,
    readonly random: Random,
    readonly ended: (flow: Flow) => void,
  ) {}

  /** Fails with P46002 for unknown hosts. */
  start(traffic: Traffic, print?: (text: string) => void): Flow {
    const id = this.#next++;
    const context = {
      lab: this.lab,
      random: this.random.fork(`flow ${id}`),
      ...given({ print }),
      ended: this.ended,
      servers: this.#servers,
      register: (keys: readonly string[]) => {
        for (const key of keys) this.#keys.set(key, id);
      },
    };
    const flow =
      traffic.kind === "ping"
        ? startPing(id, traffic, context)
        : traffic.kind === "udp"
          ? startUdp(id, traffic, context)
          : startTcp(id, traffic, context);
    this.#flows.set(id, flow);
    const over = [...this.#flows.values()].filter(({ isRunning }) => !isRunning);
    for (const old of over.slice(0, Math.max(0, this.#flows.size - MAX_FLOWS))) {
      this.#flows.delete(old.id);
      for (const key of old.parts.keys) this.#keys.delete(key);
    }
    return flow;
  }

  /** The number of the flow whose packets have this key; see `describeFrame`. */
  of(key: string): number | undefined {
    return this.#keys.get(key);
  }

  stop(id: number | undefined): Flow[] {
    const chosen =
      id === undefined
        ? [...this.#flows.values()].filter(({ isRunning }) => isRunning)
        : [this.#flows.get(id) ?? fail(CODES.noFlow, undefined, `there is no flow ${id}`)];
    for (const flow of chosen) flow.stop();
    return chosen;
  }

  sample(): void {
    for (const flow of this.#flows.values()) flow.sample();
  }

  get news(): FlowView[] {
    return [...this.#flows.values()].flatMap((flow) => flow.news() ?? []);
  }

  get views(): FlowView[] {
    return [...this.#flows.values()].map(({ view }) => view);
  }
}
