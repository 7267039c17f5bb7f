/** Flowlets of the compiled program of HULA, against time stamps: drawn packets of several flows, with pauses around the gap. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { hula } from "../../src/fabric/schemes/registry.js";
import { nodeNamed } from "../../src/fabric/topology/index.js";
import { renderProgram } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { frameOf } from "../fabric/schemes/frames.js";
import { build } from "../fabric/topology/load.js";
import { flowletsByAge, flowletsByTime, type Seen } from "../models/flowlets.js";
import { templates } from "../toolchain/generate/load.js";
import { ManualClock } from "../toolchain/switch/golden.js";

const GAP_US = 500;
const topology = build({ kind: "leaf_spine", tors: 2, leaves: 4, homing: "single", hosts_per_rack: 1 });
const host = (name: string) => nodeNamed(topology, name)!.host!;
const tor = nodeNamed(topology, "tor0-0")!;
const uplinks = tor.ports
  .filter(({ peer }) => topology.nodes[peer]!.role !== "host")
  .map(({ number }) => number);
const hostPort = tor.ports.find(({ peer }) => topology.nodes[peer]!.role === "host")!.number;

const plan = hula.plan(topology, hula.parameters.parse({ flowlet_gap: `${GAP_US}us`, ageing: "100ms" }));
const own = plan.switches.find(({ node }) => node === tor.index)!;
const program = (() => {
  const diagnostics = new Diagnostics();
  const text = renderProgram(templates, plan.programs.find(({ name }) => name === own.program)!);
  const compiled = compile({ file: new SourceFile("tor.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return compiled!.program;
})();

/** A probe of the other rack. */
function probe(utilisation: number): Uint8Array {
  const frame = new Uint8Array(60);
  const view = new DataView(frame.buffer);
  view.setUint16(12, 0x88b5);
  view.setUint16(14, host("host0-1-0").rack);
  view.setUint32(18, utilisation);
  return frame;
}

/** The uplink of each packet. Before each one, a probe makes the next uplink in turn the best: a flowlet that begins takes it. */
function portsOf(packets: readonly Seen[]): (number | undefined)[] {
  const clock = new ManualClock();
  let sent: number[] = [];
  const device = new Switch(program, { name: "tor", clock, seed: 1, transmit: (port) => sent.push(port) });
  device.apply(own.updates);
  return packets.map(({ at, flow }, i) => {
    clock.advance(10_000 + at);
    device.receive(uplinks[i % uplinks.length]!, probe(60_000 - 1000 * i));
    sent = [];
    const flowKey = {
      src: host("host0-0-0").ipv4,
      dst: host("host0-1-0").ipv4,
      protocol: 6,
      srcPort: 1000 + Number(flow),
      dstPort: 80,
    };
    device.receive(
      hostPort,
      Uint8Array.from(frameOf({ family: "ipv4", flow: flowKey, field: "dscp", selector: 0 })),
    );
    return sent[0];
  });
}

/** The uplinks that flowlets take, by the number of the flowlet of each packet. */
function uplinksOf(packets: readonly Seen[], flowlets: readonly number[]): number[] {
  const first = new Map<string, number>();
  return packets.map(({ flow }, i) => {
    const key = `${flow} ${flowlets[i]}`;
    if (!first.has(key)) first.set(key, uplinks[i % uplinks.length]!);
    return first.get(key)!;
  });
}

const packets = fc
  .array(
    fc.record({
      pause: fc.oneof(fc.nat(3 * GAP_US), fc.constantFrom(0, GAP_US - 1, GAP_US, GAP_US + 1, 2 * GAP_US)),
      flow: fc.constantFrom("0", "1", "2"),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((drawn) => {
    let at = 0;
    return drawn.map(({ pause, flow }): Seen => ({ at: (at += pause), flow }));
  });

describe("flowlets of the compiled program", () => {
  it("are those of time stamps: a pause of the gap keeps the port, one of a microsecond more takes the best path", () => {
    fc.assert(
      fc.property(packets, (drawn) => {
        expect(portsOf(drawn)).toEqual(uplinksOf(drawn, flowletsByTime(drawn, GAP_US)));
      }),
    );
  });

  it("are not those of another gap, nor of an age bit", () => {
    const steady = Array.from({ length: 8 }, (_, i): Seen => ({ at: i * GAP_US, flow: "0" }));
    const slower = Array.from({ length: 8 }, (_, i): Seen => ({ at: i * (GAP_US + 1), flow: "0" }));
    expect(new Set(portsOf(steady)).size).toBe(1);
    expect(portsOf(slower)).toEqual(slower.map((_, i) => uplinks[i % uplinks.length]));
    expect(portsOf(steady)).not.toEqual(uplinksOf(steady, flowletsByTime(steady, GAP_US - 1)));
    expect(portsOf(slower)).not.toEqual(uplinksOf(slower, flowletsByTime(slower, GAP_US + 1)));
    // An age bit of the same period lets a pause of almost two periods pass.
    expect(portsOf(slower)).not.toEqual(uplinksOf(slower, flowletsByAge(slower, GAP_US)));
  });
});
