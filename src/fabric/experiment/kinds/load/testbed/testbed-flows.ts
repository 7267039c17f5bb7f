/** The flows of a workload as connections of the kernel's TCP between the hosts of a testbed. */

import type { Random } from "../../../../../base/index.js";
import { given } from "../../../../../base/index.js";
import type { Agent, AgentFlow, FlowResult, Received } from "../../../../testbed/index.js";
import { addressText } from "../../../../testbed/index.js";
import type { Topology, TopologyNode } from "../../../../topology/index.js";
import { drawClientPort, type FlowArrival } from "../../../../traffic/index.js";
import type { SchemeOnTestbed } from "../../../testbed/scheme-on-testbed.js";
import type { FlowCounters } from "../meters/flow-meter.js";
import type { LoadSettings } from "../schema.js";

/** Events for the owner of a flow. */
interface TestbedFlowEvents {
  /** The receiver has all data; nanoseconds of CLOCK_MONOTONIC. */
  completed(atNs: number): void;
  /** The flow's figures do not change any more. */
  ended(): void;
}

/** A flow that was requested. */
interface TestbedFlow {
  counters(): FlowCounters;
}

interface Open {
  readonly arrival: FlowArrival;
  readonly events: TestbedFlowEvents;
  real: AgentFlow | undefined;
  delivered: number;
  result: FlowResult | undefined;
  isComplete: boolean;
}

export class TestbedFlows {
  /** By {@link keyOf}. Each key is used once, because the kernel holds the ports of a closed connection for some time. */
  readonly #byKey = new Map<string, Open>();
  readonly #used = new Set<string>();
  readonly #running = new Set<Open>();
  readonly #agents = new Map<number, Agent>();
  readonly #stops: (() => void)[] = [];
  /** Number of flows whose connection broke, and the reason of one of them. */
  broken = 0;
  brokenBy: string | undefined;

  private constructor(
    readonly fabric: SchemeOnTestbed,
    readonly topology: Topology,
    readonly settings: LoadSettings,
    /** Each flow has a stream of its own. */
    readonly random: Random,
    /** Nanoseconds of CLOCK_MONOTONIC: time 0 of arrivals. */
    readonly start: number,
  ) {}

  /** Starts the agents of all hosts. `start` is called when they run. */
  static async make(
    { fabric, topology, settings, random }: Pick<TestbedFlows, "fabric" | "topology" | "settings" | "random">,
    hosts: readonly TopologyNode[],
    start: () => number,
  ): Promise<TestbedFlows> {
    const agents = await Promise.all(hosts.map(({ index }) => fabric.agent(index)));
    const flows = new TestbedFlows(fabric, topology, settings, random, start());
    for (const [i, { index }] of hosts.entries()) {
      flows.#agents.set(index, agents[i]!);
      flows.#stops.push(agents[i]!.onReceived((received) => flows.#received(index, received)));
    }
    return flows;
  }

  /** Starts the flow at its time. Its receiver listens before that. */
  begin(arrival: FlowArrival, events: TestbedFlowEvents): TestbedFlow {
    const { source, destination, port, bytes, startNs } = arrival;
    const { ip } = this.settings.traffic;
    const clientPort = this.#takePort(arrival);
    const open: Open = {
      ...{ arrival, events, real: undefined, delivered: 0, result: undefined, isComplete: false },
    };
    this.#byKey.set(this.#keyOf(source, clientPort, destination, port), open);
    this.#running.add(open);
    const { transport } = this.settings;
    const tcp = transport.protocol === "tcp";
    const congestion = tcp ? { congestion: transport.congestion_control } : {};
    void this.fabric.listen(destination, port, tcp ? transport.congestion_control : undefined).then(
      () => {
        if (!this.#running.has(open)) return;
        open.real = this.#agents.get(source)!.flow({
          to: this.#address(destination),
          ipVersion: ip,
          port,
          clientPort,
          policyPort: true,
          bytes,
          segmentBytes: transport.segment_bytes,
          ...given({ windowSegments: tcp ? undefined : transport.window_segments }),
          ...congestion,
          finish: true,
          startNs: Math.round(this.start + startNs),
        });
        this.#follow(open, open.real, clientPort);
      },
      (error: Error) => this.#end(open, undefined, error.message),
    );
    return { counters: () => countersOf(open) };
  }

  /** Asks the receivers how many bytes of the open flows have arrived. */
  async askDelivered(): Promise<void> {
    await Promise.all(
      [...this.#agents].map(async ([node, agent]) => {
        for (const { from, clientPort, port, bytes } of await agent.receiving()) {
          const open = this.#byKey.get(`${from} ${clientPort} ${node} ${port}`);
          if (open !== undefined) open.delivered = bytes;
        }
      }),
    );
  }

  /** Stops the open flows, and waits until the senders have reported their figures. */
  async closeAll(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (open) => {
        // Complete flows end soon without a stop.
        const ended = open.isComplete ? open.real?.finished : open.real?.stop();
        await Promise.race([ended?.catch(() => {}), this.#patience()]);
        this.#end(open, open.result, undefined);
      }),
    );
    for (const stop of this.#stops) stop();
  }

  #patience(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, PATIENCE_MS).unref();
    });
  }

  #follow(open: Open, real: AgentFlow, drawnPort: number): void {
    const { source, destination, port } = open.arrival;
    real.onEvent((event) => {
      if (event.kind === "started" && event.clientPort !== drawnPort)
        // The policy has chosen another client port.
        this.#byKey.set(this.#keyOf(source, event.clientPort, destination, port), open);
      else if (event.kind === "finished") this.#end(open, event, undefined);
      else if (event.kind === "failed") this.#end(open, undefined, event.text);
    });
  }

  #received(node: number, { from, clientPort, port, bytes, atNs }: Received): void {
    const open = this.#byKey.get(`${from} ${clientPort} ${node} ${port}`);
    if (open === undefined || open.isComplete) return;
    open.delivered = bytes;
    if (bytes < open.arrival.bytes) return;
    open.isComplete = true;
    open.events.completed(atNs);
  }

  #end(open: Open, result: FlowResult | undefined, broken: string | undefined): void {
    if (!this.#running.delete(open)) return;
    open.result = result;
    if (broken !== undefined) {
      this.broken++;
      this.brokenBy ??= broken;
    }
    open.events.ended();
  }

  /** The client port that the flow has in the simulator, unless an earlier flow between the same ends had it. */
  #takePort({ id, source, destination, port }: FlowArrival): number {
    const random = this.random.fork(id);
    let drawn = drawClientPort(random);
    while (this.#used.has(this.#keyOf(source, drawn, destination, port))) drawn = drawClientPort(random);
    this.#used.add(this.#keyOf(source, drawn, destination, port));
    return drawn;
  }

  #keyOf(source: number, clientPort: number, destination: number, port: number): string {
    return `${addressText(this.#address(source), this.settings.traffic.ip)} ${clientPort} ${destination} ${port}`;
  }

  #address(node: number): bigint {
    const { ipv4, ipv6 } = this.topology.nodes[node]!.host!;
    return this.settings.traffic.ip === 4 ? ipv4 : ipv6;
  }
}

/** Longest wait for the figures of a flow at the end, in ms. */
const PATIENCE_MS = 3000;

/** The counters of a flow; a figure that this kernel does not report is absent. */
function countersOf({ delivered, result, isComplete, arrival }: Open): FlowCounters {
  const { tcp, timeouts } = result ?? {};
  const retransmissions = tcp?.retransmissions ?? undefined;
  // Kernels before Linux 6.7 do not count timeouts; the agent does where packets pass through it.
  const counted = tcp?.kernelTimeouts ?? (timeouts === undefined || timeouts === 0 ? undefined : timeouts);
  return {
    delivered: isComplete ? arrival.bytes : delivered,
    ...given({ retransmissions, timeouts: counted }),
  };
}
