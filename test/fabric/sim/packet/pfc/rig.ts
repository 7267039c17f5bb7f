/** Networks of switches whose packets name their ports hop by hop, with ends that priority flow control can pause. */
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../../src/base/index.js";
import {
  type Channel,
  HEADERS_ONLY,
  Network,
  type Node,
  SwitchNode,
} from "../../../../../src/fabric/sim/packet/index.js";
import { DeadlockWatch, type PausingSwitch } from "../../../../../src/fabric/sim/packet/pfc/deadlock.js";
import { PausableOutput } from "../../../../../src/fabric/sim/packet/pfc/pausable-output.js";
import type { PfcOptions } from "../../../../../src/fabric/sim/packet/pfc/pfc-options.js";
import { compile } from "../../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../../src/toolchain/program/index.js";

/** Takes the output port from the packet's first byte, and moves the others up; the last two name flow and number. */
const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header hops_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct headers { hops_t hops; }
struct metadata { }
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(h.hops); transition accept; }
}
control V(inout headers h, inout metadata m) { apply { } }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
  apply {
    s.egress_spec = (bit<9>)h.hops.a;
    h.hops.a = h.hops.b; h.hops.b = h.hops.c; h.hops.c = h.hops.d; h.hops.d = 0;
  }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { } }
control C(inout headers h, inout metadata m) { apply { } }
control D(packet_out p, in headers h) { apply { p.emit(h.hops); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

let program: Program | undefined;

export function compiled(): Program {
  if (program !== undefined) return program;
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("hops.p4", PROGRAM) }, diagnostics);
  if (result === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  program = result.program;
  return program;
}

/** What has arrived at an end. */
interface Arrival {
  readonly time: number;
  readonly flow: number;
  readonly number: number;
  readonly bytes: number;
}

/** A host without transport. Frames of a flow are of one length and one path. */
export class End implements Node {
  output: PausableOutput | undefined;
  readonly arrivals: Arrival[] = [];
  sent = 0;
  constructor(
    readonly name: string,
    readonly network: Network,
    readonly options: PfcOptions,
  ) {}
  attach(_port: number, output: Channel): void {
    const unlimited = { queueBytes: Number.POSITIVE_INFINITY, queuePackets: Number.POSITIVE_INFINITY };
    this.output = new PausableOutput(this.network.simulation, output, {
      pfc: this.options,
      wire: output.options.wire ?? HEADERS_ONLY,
      ...unlimited,
    });
  }
  receive(_port: number, frame: Uint8Array): void {
    if (this.output!.takes(frame)) return;
    const number = (frame[5]! << 16) | (frame[6]! << 8) | frame[7]!;
    this.arrivals.push({ time: this.network.simulation.now, flow: frame[4]!, number, bytes: frame.length });
  }
  /** Hands over a frame whose path is given by the output ports of the switches. */
  send(path: readonly number[], flow: number, bytes: number): void {
    const frame = new Uint8Array(bytes);
    frame.set(path);
    frame.set([flow, this.sent >>> 16, this.sent >>> 8, this.sent], 4);
    // No EtherType of flow control.
    frame[12] = 0x08;
    frame[13] = 0;
    this.sent++;
    this.output!.send(frame);
  }
}

export interface LinkSpec {
  readonly rate: number;
  readonly delay: number;
}

export class Rig {
  readonly network = new Network();
  readonly #watched = new Map<SwitchNode, PausingSwitch>();
  readonly #peers = new Map<SwitchNode, Map<number, { node: Node; port: number }>>();
  #watch: DeadlockWatch | undefined;

  constructor(readonly options: PfcOptions) {}

  end(name: string): End {
    return new End(name, this.network, this.options);
  }

  async switch(name: string): Promise<SwitchNode> {
    const node = new SwitchNode(this.network.simulation, {
      name,
      seed: 1,
      queuePackets: 1,
      queueBytes: 1,
      flowControl: { pfc: this.options, mac: 0x0200_0000_0001n },
    });
    await node.device.load(compiled());
    const peers = new Map<number, { node: Node; port: number }>();
    this.#peers.set(node, peers);
    this.#watched.set(node, {
      name,
      buffer: node.flowControl!.buffer,
      isPaused: (port) => node.flowControl!.isPaused(port),
      peer: (port) => {
        const peer = peers.get(port);
        const far = peer?.node instanceof SwitchNode ? this.#watched.get(peer.node) : undefined;
        return far && { node: far, port: peer!.port };
      },
      peerName: (port) => peers.get(port)!.node.name,
    });
    return node;
  }

  link(a: Node, aPort: number, b: Node, bPort: number, { rate, delay }: LinkSpec) {
    const one = { rate, delay, queueBytes: Number.POSITIVE_INFINITY, queuePackets: Number.POSITIVE_INFINITY };
    if (a instanceof SwitchNode) this.#peers.get(a)!.set(aPort, { node: b, port: bPort });
    if (b instanceof SwitchNode) this.#peers.get(b)!.set(bPort, { node: a, port: aPort });
    return this.network.connect({ node: a, port: aPort }, { node: b, port: bPort }, { aToB: one, bToA: one });
  }

  /** To be called when all is linked. */
  watch(): DeadlockWatch {
    this.#watch = new DeadlockWatch(this.network.simulation, [...this.#watched.values()]);
    for (const node of this.#watched.keys()) node.flowControl!.onAsk = () => this.#watch!.begin();
    return this.#watch;
  }
}
