/** The agent of a host whose kernel sends and receives by its NIC without the agent: it has listeners and flows only. */
import { Random } from "../../base/index.js";
import { SocketWatch } from "../../toolchain/interfaces/index.js";
import type { HostContext, HostPolicy } from "../hosts/index.js";
import { monotonicNs } from "./clock.js";
import type { AgentEvent, AgentStatistics } from "./events.js";
import { Flows } from "./flows.js";
import { type HostSetup, KERNEL_RTO_MIN_MS } from "./host-setup.js";
import { type Request, RequestError, type StartRequest } from "./requests.js";
import { Sinks } from "./sinks.js";
import { Timers } from "./timers.js";
import { Transfers } from "./transfers.js";

export class DirectAgent {
  readonly #watch = new SocketWatch();
  readonly #timers = new Timers(monotonicNs);
  readonly #flows: Flows;
  readonly #transfers: Transfers;
  readonly #sinks: Sinks;

  constructor(
    readonly config: StartRequest,
    makePolicy: (context: HostContext) => HostPolicy,
    setup: HostSetup,
    readonly tell: (event: AgentEvent) => void,
  ) {
    const policy = makePolicy(contextOf(config, this.#timers, tell));
    const { nics, field, ipv4, ipv6, seed, rtoMinMs } = config;
    if (policy.plain !== true)
      throw new RequestError("direct: the host policy marks packets, or chooses NICs");
    if (nics.length > 1) throw new RequestError(`direct: the host has ${nics.length} NICs`);
    setup.tuneDirect(config);
    const addresses = [ipv4, ipv6].filter((address) => address !== undefined);
    // It contains no flow, since no packet passes through the agent; transfers still query it.
    const leastRtoNs = (rtoMinMs ?? KERNEL_RTO_MIN_MS) * 1e6;
    this.#flows = new Flows({ addresses, nics, field, policy }, new Random(seed), leastRtoNs);
    const parts = { watch: this.#watch, now: monotonicNs, tell };
    this.#transfers = new Transfers(config, { ...parts, flows: this.#flows, timers: this.#timers });
    this.#sinks = new Sinks(parts);
  }

  handle(request: Exclude<Request, { op: "start" | "stop" }>): void {
    switch (request.op) {
      case "listen": {
        const { id, port, congestion } = request;
        for (const own of this.#flows.host.addresses) this.#sinks.listen(own, port, congestion);
        this.tell({ event: "listening", id, port });
        break;
      }
      case "flow":
        if (request.windowSegments !== undefined)
          throw new RequestError("windowSegments: a direct host does not see acknowledgements");
        this.#transfers.add(request);
        break;
      case "stop-flow":
        this.#transfers.stop(request.id);
        break;
      case "receiving":
        this.tell({ event: "receiving", id: request.id, connections: this.#sinks.arriving() });
        break;
      case "statistics":
        this.tell({ event: "statistics", id: request.id, ...this.statistics() });
        break;
      case "probe":
      case "message":
        throw new RequestError(`op: a direct host does not accept ${request.op}`);
    }
  }

  /** All zero: no packet passes through the agent. */
  statistics(): AgentStatistics {
    const { user, system } = process.cpuUsage();
    const none = { fromKernel: 0, toKernel: 0, copies: 0, rejected: 0, kept: 0, lost: 0, flows: 0 };
    return { ...none, cpuNs: 1000 * (user + system) };
  }

  close(): void {
    this.#transfers.close();
    this.#sinks.close();
    this.#timers.close();
    this.#watch.close();
  }
}

// The context that the agent gives to a host policy.

export function contextOf(
  { name, nics, seed }: StartRequest,
  timers: Timers,
  tell: (event: AgentEvent) => void,
): HostContext {
  return {
    name,
    nics: nics.length,
    clock: {
      now: monotonicNs,
      at: (time, fn) => {
        let isCancelled = false;
        timers.at(time, () => {
          if (!isCancelled) fn();
        });
        return () => {
          isCancelled = true;
        };
      },
    },
    random: new Random(seed).fork("policy"),
    tell: (message) => tell({ event: "told", message }),
  };
}
