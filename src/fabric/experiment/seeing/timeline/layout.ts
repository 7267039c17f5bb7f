/** Positions of the nodes of a topology in a drawing. */
import { TIER, type Topology } from "../../../topology/index.js";
import type { RecordedNode } from "./record.js";

/** Tiers in rows, hosts at the bottom, in the order of the topology; a network without tiers in a circle, hosts around it. */
export function layout({ nodes }: Topology): RecordedNode[] {
  const flat = nodes.some(({ role }) => role === "switch");
  if (!flat) {
    const tiers = [...new Set(nodes.map(({ role }) => TIER[role]))].sort();
    const sizes = tiers.map((tier) => nodes.filter(({ role }) => TIER[role] === tier).length);
    const seen = tiers.map(() => 0);
    return nodes.map(({ name, role }) => {
      const row = tiers.indexOf(TIER[role]);
      const x = (seen[row]!++ + 0.5) / sizes[row]!;
      const y = tiers.length === 1 ? 0.5 : 0.92 - (0.84 * row) / (tiers.length - 1);
      return { name, tier: TIER[role], x: round(x), y: round(y) };
    });
  }
  const switches = nodes.filter(({ role }) => role !== "host");
  const angleOf = (index: number) =>
    (2 * Math.PI * switches.findIndex((one) => one.index === index)) / switches.length;
  return nodes.map(({ name, role, index, ports }) => {
    let [angle, radius] = [angleOf(index), 0.3];
    if (role === "host") {
      const tor = nodes[ports[0]!.peer]!;
      const hosts = tor.ports.filter(({ peer }) => nodes[peer]!.role === "host").map(({ peer }) => peer);
      const spread = (2 * Math.PI) / switches.length;
      angle = angleOf(tor.index) + spread * ((hosts.indexOf(index) + 0.5) / hosts.length - 0.5);
      radius = 0.46;
    }
    return {
      name,
      tier: TIER[role],
      x: round(0.5 + radius * Math.sin(angle)),
      y: round(0.5 - radius * Math.cos(angle)),
    };
  });
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
