/** One switch of a fabric under DRILL with its compiled program, and the lengths of its queues as its registers have them. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { drill } from "../../../../src/fabric/schemes/registry.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";
import { build } from "../../topology/load.js";
import { frameOf } from "../frames.js";

/** Ports of a ToR: hosts at 1 and 2, leaves at 3 to 6. */
export const fabric = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });

/** A frame of one flow. */
export function segment(from: string, to: string, srcPort = 1000, topology = fabric): Uint8Array {
  const [source, target] = [from, to].map((name) => nodeNamed(topology, name)!.host!);
  const flow = { src: source!.ipv4, dst: target!.ipv4, protocol: 6, srcPort, dstPort: 80 };
  return frameOf({ family: "ipv4", flow, field: "dscp", selector: 0 });
}

const compiled = new Map<string, Program>();

function compiledProgram(text: string): Program {
  let program = compiled.get(text);
  if (program === undefined) {
    const diagnostics = new Diagnostics();
    program = compile({ file: new SourceFile("drill.p4", text) }, diagnostics)?.program;
    diagnostics.throwIfErrors();
    compiled.set(text, program!);
  }
  return program!;
}

/** `rate`: packets a second that each port sends; a port without one sends at once. */
export function start(name: string, parameters: object = {}, topology: Topology = fabric, rate?: number) {
  const plan = drill.plan(topology, drill.parameters.parse(parameters));
  const node = nodeNamed(topology, name)!;
  const own = plan.switches.find((one) => one.node === node.index)!;
  const program = compiledProgram(
    renderProgram(templates, plan.programs.find((one) => one.name === own.program)!),
  );
  const clock = new ManualClock();
  const sent: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(program, {
    ...{ name, clock, seed: 1 },
    ...(rate === undefined ? {} : { queue: { ratePacketsPerSecond: () => rate } }),
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  device.apply(own.updates);
  return {
    ...{ plan, own, program, device, clock, sent },
    register: async (register: string, index: number): Promise<number> => {
      const [cell] = await device.read([{ kind: "register", register, index }]);
      return Number((cell as { value: bigint }).value);
    },
    write: (register: string, index: number, value: number) =>
      device.apply([{ type: "modify", entity: { kind: "register", register, index, value: BigInt(value) } }]),
  };
}
