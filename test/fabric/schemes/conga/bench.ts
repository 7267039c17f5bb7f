/** One switch of a fabric under CONGA with its compiled program, and the headers of the overlay that tests write and read. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { conga } from "../../../../src/fabric/schemes/registry.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { ManualClock } from "../../../toolchain/switch/golden.js";
import { build } from "../../topology/load.js";
import { frameOf } from "../frames.js";

/** 1 Gbit/s: 125 bytes a microsecond, 20,000 in tau. Ports of a ToR: hosts at 1 and 2, leaves at 3 to 6; of a leaf: the ToRs in their order. */
export const fabric = build({
  kind: "leaf_spine",
  tors: 3,
  leaves: 4,
  homing: "single",
  hosts_per_rack: 2,
  host_link: { rate: "10Gbps" },
  fabric_link: { rate: "1Gbps" },
});
export const CAPACITY = 20_000;
export const NONE = 255;
const OVERLAY = 14;

export interface Overlay {
  readonly rack: number;
  readonly tag: number;
  readonly congestion: number;
  readonly feedbackTag: number;
  readonly feedback: number;
}

/** An overlay header before the IPv4 header of a frame. */
export function wrapped(frame: Uint8Array, overlay: Partial<Overlay>): Uint8Array {
  const { rack = 0, tag = 0, congestion = 0, feedbackTag = NONE, feedback = 0 } = overlay;
  const header = [rack >> 8, rack & 255, tag, congestion, feedbackTag, feedback, frame[12]!, frame[13]!];
  return Uint8Array.from([...frame.subarray(0, 12), 0x88, 0xb5, ...header, ...frame.subarray(14)]);
}

export function overlayOf(frame: Uint8Array): Overlay | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset);
  if (view.getUint16(12) !== 0x88b5) return undefined;
  const [tag, congestion, feedbackTag, feedback] = [...frame.subarray(OVERLAY + 2, OVERLAY + 6)] as [
    number,
    number,
    number,
    number,
  ];
  return { rack: view.getUint16(OVERLAY), tag, congestion, feedbackTag, feedback };
}

/** The frame without its overlay header. */
export function unwrapped(frame: Uint8Array): Uint8Array {
  return Uint8Array.from([...frame.subarray(0, 12), ...frame.subarray(OVERLAY + 6)]);
}

export function segment(
  from: string,
  to: string,
  srcPort = 1000,
  payload = 0,
  topology = fabric,
): Uint8Array {
  const [source, target] = [from, to].map((name) => nodeNamed(topology, name)!.host!);
  const flow = { src: source!.ipv4, dst: target!.ipv4, protocol: 6, srcPort, dstPort: 80 };
  const head = frameOf({ family: "ipv4", flow, field: "dscp", selector: 0 });
  return Uint8Array.from([...head, ...new Uint8Array(payload)]);
}

const compiled = new Map<string, Program>();

function compiledProgram(text: string): Program {
  let program = compiled.get(text);
  if (program === undefined) {
    const diagnostics = new Diagnostics();
    program = compile({ file: new SourceFile("conga.p4", text) }, diagnostics)!.program;
    diagnostics.throwIfErrors();
    compiled.set(text, program);
  }
  return program;
}

export function start(name: string, parameters: object = {}, topology: Topology = fabric, seed = 1) {
  const plan = conga.plan(topology, conga.parameters.parse(parameters));
  const node = nodeNamed(topology, name)!;
  const own = plan.switches.find((one) => one.node === node.index)!;
  const program = compiledProgram(
    renderProgram(templates, plan.programs.find((one) => one.name === own.program)!),
  );
  const clock = new ManualClock();
  clock.time = 1_000_000;
  const sent: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(program, {
    name,
    clock,
    seed,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  device.apply(own.updates);
  return {
    plan,
    own,
    device,
    clock,
    wait: (time: number) => clock.advance(clock.time + time),
    /** What leaves for a frame; undefined: nothing. */
    play(port: number, frame: Uint8Array): { port: number; frame: Uint8Array } | undefined {
      sent.length = 0;
      device.receive(port, frame);
      if (sent.length > 1) throw new Error(`${sent.length} frames`);
      return sent[0];
    },
  };
}

export type Running = ReturnType<typeof start>;

/** Tells a ToR the congestion of its uplinks towards a rack, as packets from there bring it. */
export function tell(tor: Running, rack: number, metrics: readonly number[], port = 3): void {
  for (const [feedbackTag, feedback] of metrics.entries())
    tor.play(port, wrapped(segment(`host0-${rack}-0`, "host0-0-0"), { rack, feedbackTag, feedback }));
}
