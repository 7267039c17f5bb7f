/**
 * The packet tests beside CONGA's programs in p4/. That of a ToR first makes all uplinks but one congested, by what packets from the other rack
 * bring; what must leave is worked out here. Those of the other switches are the ones of plain ECMP.
 */
import { toHex } from "../../../../src/base/index.js";
import type { FabricPlan } from "../../../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import type { ProgramPlan } from "../../../../src/toolchain/generate/index.js";
import { packetScript, passedOn, SWITCH_OF_ROLE, stateLines } from "../packet-script.js";
import { NONE, segment, wrapped } from "./bench.js";

/** Frames that leave, and drop counters. */
export const TOR_EXPECTATIONS = 12;

export function congaPacketScript(topology: Topology, plan: FabricPlan, program: ProgramPlan): string {
  if (program.name !== "tor") return packetScript(topology, plan, program);
  const node = nodeNamed(topology, SWITCH_OF_ROLE["tor"]!)!;
  const { updates } = plan.switches.find((own) => own.node === node.index)!;
  const uplinks = node.ports
    .filter(({ peer }) => topology.nodes[peer]!.role !== "host")
    .map(({ number }) => number);
  const lines = [
    `# tor.p4 with the state of ${node.name} in examples/topologies/clos.yaml:`,
    "# p4loom stf p4/conga/tor.p4 p4/conga/tor.stf",
    "",
    ...stateLines({ node: node.index, program: "tor", updates }),
  ];
  const send = (what: string, port: number, frame: Uint8Array, out?: { port: number; frame: Uint8Array }) => {
    lines.push("", `# ${what}`, `packet ${port} ${toHex(frame)}`);
    lines.push(out === undefined ? "no_packet" : `expect ${out.port} ${toHex(out.frame)} $`);
  };
  const frame = (from: string, to: string, srcPort = 1000) => segment(from, to, srcPort, 0, topology);
  const next = (port: number, inner: Uint8Array) => ({
    port,
    frame: passedOn(topology, node, port, inner, "ipv4"),
  });

  const inside = frame("host0-0-0", "host0-0-1");
  send("in the own rack, without the overlay", 1, inside, next(2, inside));
  for (const [i, port] of uplinks.entries()) {
    const inner = frame("host0-1-0", "host0-0-0");
    const feedback = i === 2 ? 1 : 5;
    const header = { rack: 1, tag: i, congestion: i, feedbackTag: i, feedback };
    send(
      `rack 1 reports ${feedback} on tag ${i}, and ${i} on its own`,
      port,
      wrapped(inner, header),
      next(1, inner),
    );
  }
  for (const [tag, srcPort] of [0, 1, 2, 3, 0].map((tag, i) => [tag, 1000 + i] as const)) {
    const inner = frame("host0-0-0", "host0-1-1", srcPort);
    const { port, frame: plain } = next(uplinks[2]!, inner);
    const header = { rack: 0, tag: 2, congestion: 0, feedbackTag: tag, feedback: tag };
    send(`to rack 1 by the uplink with 1, with feedback on tag ${tag}`, 1, inner, {
      port,
      frame: wrapped(plain, header),
    });
  }
  send("the overlay from a host", 1, wrapped(inside, { rack: 1, feedbackTag: NONE }));
  const cut = wrapped(inside, {}).subarray(0, 18);
  send("an overlay that is cut short", uplinks[0]!, cut);
  lines.push("");
  for (const index of [1, 2]) lines.push(`check_counter FabricIngress.drops(${index}) packets == 1`);
  return [...lines, ""].join("\n");
}
