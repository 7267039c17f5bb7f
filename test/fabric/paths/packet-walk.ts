/** Flows as packets through the compiled programs of a plan, switch by switch in the embedded switch, without queues and time. */
import { Diagnostics, Random, SourceFile } from "../../../src/base/index.js";
import { directedLink, type FlowColumns } from "../../../src/fabric/paths/index.js";
import { calculationName, type FabricPlan } from "../../../src/fabric/schemes/index.js";
import { hostsOf, type Topology } from "../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../src/toolchain/generate/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { templates } from "../../toolchain/generate/load.js";
import { frameOf } from "../schemes/frames.js";

interface Running {
  readonly device: Switch;
  readonly sent: { port: number; frame: Uint8Array }[];
}

export class PacketWalk {
  readonly #programs = new Map<string, Program>();
  readonly #switches = new Map<number, Running>();

  constructor(
    readonly topology: Topology,
    readonly plan: FabricPlan,
  ) {}

  async #at(node: number): Promise<Running> {
    let running = this.#switches.get(node);
    if (running === undefined) {
      const planned = this.plan.switches.find((own) => own.node === node)!;
      const sent: Running["sent"] = [];
      const device = new Switch(undefined, {
        name: this.topology.nodes[node]!.name,
        clock: { now: () => 0, at: () => () => {} },
        seed: 1,
        transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
      });
      await device.load(this.#program(planned.program));
      for (const setting of planned.settings ?? [])
        if (setting.kind === "crc")
          await device.settings.setCrcParameters(
            calculationName(device, setting),
            setting.width,
            setting.parameters,
          );
      await device.write(planned.updates);
      running = { device, sent };
      this.#switches.set(node, running);
    }
    return running;
  }

  #program(name: string): Program {
    let program = this.#programs.get(name);
    if (program === undefined) {
      const diagnostics = new Diagnostics();
      const text = renderProgram(templates, this.plan.programs.find((own) => own.name === name)!);
      program = compile({ file: new SourceFile(`${name}.p4`, text) }, diagnostics)!.program;
      diagnostics.throwIfErrors();
      this.#programs.set(name, program);
    }
    return program;
  }

  /** The directed links of a flow; empty where its packet is lost. */
  async linksOf(flows: FlowColumns, flow: number): Promise<number[]> {
    const { nodes } = this.topology;
    const from = nodes[flows.source[flow]!]!;
    const to = nodes[flows.destination[flow]!]!;
    const nic = flows.nic?.[flow] ?? 0;
    const family = flows.version === 4 ? "ipv4" : "ipv6";
    let port = from.ports[nic]!;
    let frame = frameOf({
      family,
      flow: {
        src: from.host![family],
        dst: to.host![family],
        protocol: flows.protocol[flow]!,
        srcPort: flows.sourcePort[flow]!,
        dstPort: flows.destinationPort[flow]!,
      },
      field: this.plan.field,
      selector: flows.selector?.[flow] ?? 0,
      dstMac: nodes[port.peer]!.mac,
    });
    const links = [directedLink(this.topology, from.index, port.number)];
    for (let node = nodes[port.peer]!; node !== to; node = nodes[port.peer]!) {
      const { device, sent } = await this.#at(node.index);
      sent.length = 0;
      device.receive(port.peerPort, frame);
      if (sent.length !== 1 || links.length > 40) return [];
      port = node.ports[sent[0]!.port - 1]!;
      frame = sent[0]!.frame;
      links.push(directedLink(this.topology, node.index, port.number));
    }
    return links;
  }
}

/** Random flows between different hosts; half of them go back and forth between the same hosts on other ports. */
export function randomFlows(topology: Topology, size: number, seed: number, version: 4 | 6 = 4): FlowColumns {
  const random = new Random(seed);
  const hosts = hostsOf(topology);
  const pick = () => random.pick(hosts);
  const pairs = Array.from({ length: size }, () => {
    const from = pick();
    let to = pick();
    while (to === from) to = pick();
    return [from, to] as const;
  });
  return {
    size,
    version,
    source: Int32Array.from(pairs, ([from]) => from.index),
    destination: Int32Array.from(pairs, ([, to]) => to.index),
    protocol: Uint8Array.from(pairs, () => random.pick([6, 17])),
    sourcePort: Uint16Array.from(pairs, () => random.int(65536)),
    destinationPort: Uint16Array.from(pairs, () => random.int(65536)),
    selector: Uint32Array.from(pairs, () => random.int(64)),
    nic: Uint8Array.from(pairs, ([from]) => random.int(from.ports.length)),
  };
}
