/** A scheme of an experiment file in a lab on the simulator: the same settings, host policies and controllers as in a run. */
import { DiagnosticError } from "../../base/index.js";
import { selectorHeaders, selectorOf } from "../../base/packets/index.js";
import {
  applySettings,
  type ControlPlane,
  type MachineSettings,
  planeOver,
  queuesOfLinks,
  type SchemeRun,
  startGenerators,
} from "../../fabric/experiment/index.js";
import type { SwitchPlan } from "../../fabric/schemes/index.js";
import { ControlChannel, HostChannel } from "../../fabric/sim/packet/index.js";
import type { Topology } from "../../fabric/topology/index.js";
import type { Device } from "../../toolchain/device/index.js";
import type { ControlledNetwork, LabScheme, SchemeControl } from "../lab/index.js";

export function schemeInLab(topology: Topology, scheme: SchemeRun, machine: MachineSettings): LabScheme {
  const { plan, hosts } = scheme;
  const indexes = new Map(topology.nodes.map(({ name, index }) => [name, index]));
  const planned = (name: string): SwitchPlan | undefined =>
    plan.switches.find(({ node }) => node === indexes.get(name));
  return {
    queues: machine.queues,
    codec: {
      headersOf: (selector) => selectorHeaders(plan.field, selector),
      selectorOf: (headers) => selectorOf(plan.field, headers),
    },
    policy: hosts,
    configure: (name, device: Device) =>
      applySettings(device, [
        ...queuesOfLinks(topology, indexes.get(name)!),
        ...(planned(name)?.settings ?? []),
      ]),
    complete: async (name, device) => {
      const own = planned(name);
      if (own?.generators !== undefined) await startGenerators(device, own);
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    control: (network) =>
      (plan.controllers ?? []).length === 0 ? undefined : control(topology, scheme, machine, network),
  };
}

function control(
  topology: Topology,
  { label, plan }: SchemeRun,
  { control_channel }: MachineSettings,
  { simulation, seed, log, failed, ...network }: ControlledNetwork,
): SchemeControl {
  const { local_delay, ...shared } = control_channel;
  const { nodes } = topology;
  const channels = new Map(
    plan.switches.map(({ node }) => {
      const made = network.switch(nodes[node]!.name);
      const channel = (delay: number) =>
        new ControlChannel(simulation, made.device, { ...shared, delay }, made);
      return [node, { central: channel(shared.delay), switch: channel(local_delay) }];
    }),
  );
  const hostChannels = new Map(
    nodes
      .filter(({ role }) => role === "host")
      .map(({ index, name }) => [index, new HostChannel(simulation, network.host(name), shared)]),
  );
  const plane: ControlPlane = planeOver(simulation, channels, hostChannels, {
    label,
    plan,
    topology,
    seed,
    onLine: log,
    onFailure: (error: DiagnosticError) => {
      plane.close();
      failed(error.diagnostics.map(({ message }) => message).join("; "));
    },
  });
  const nodeOf = (name: string): number => nodes.find((node) => node.name === name)!.index;
  return {
    ready: plane.host.startAll().then(
      () => {},
      (error: unknown) => {
        if (!(error instanceof DiagnosticError)) throw error;
      },
    ),
    tell: (host, message) => hostChannels.get(nodeOf(host))?.tell(message),
    switchRuns: (name, running) => {
      for (const channel of Object.values(channels.get(nodeOf(name)) ?? {}))
        if (running) channel.connect();
        else channel.disconnect();
    },
    close: () => plane.close(),
  };
}
