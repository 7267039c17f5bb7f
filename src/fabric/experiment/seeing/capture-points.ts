/** Finds the links of a topology to capture, by the names that users give. */
import { didYouMean, fail, type Locate } from "../../../base/index.js";
import { nodeNamed, type Topology, type TopologyNode } from "../../topology/index.js";
import { CODES } from "../codes.js";

/** One interface of a capture file. */
export interface CapturePoint {
  /** `tor1:3`, or `tor1:3>leaf2:1`. */
  readonly name: string;
  /** Of the topology. */
  readonly link: number;
  /**
   * `aToB`, `bToA`: frames of this direction as they arrive. `a`, `b`: what that end sends and receives, as in a capture on its
   * interface.
   */
  readonly what: "aToB" | "bToA" | "a" | "b";
}

const FORMS = "write all, NODE (all its links), NODE:PORT, or two nodes with a space between them";

/**
 * Capture points in the order of the names, each once. `all` and nodes mean both directions of their links.
 * Throws DiagnosticError: P43080 for a name that fits nothing.
 */
export function capturePoints(names: readonly string[], topology: Topology, locate: Locate): CapturePoint[] {
  const points = new Map<string, CapturePoint>();
  const add = (point: CapturePoint) => points.set(point.name, point);
  const addLink = (link: number) => {
    add({ name: directionName(topology, link, true), link, what: "aToB" });
    add({ name: directionName(topology, link, false), link, what: "bToA" });
  };
  for (const name of names) {
    const wrong = (message: string, note = FORMS): never =>
      fail(CODES.captureLink, locate(["see", "pcap"]), message, note);
    const find = (text: string): TopologyNode => {
      const node = nodeNamed(topology, text);
      const known = topology.nodes.map((one) => one.name);
      return node ?? wrong(`no node is called "${text}"${didYouMean(text, known, '"')}`);
    };
    const [first = "", second, ...more] = name.trim().split(/\s+/);
    const [, node, port] = /^(.+):(\d+)$/.exec(first) ?? [];
    if (more.length > 0) wrong(`"${name}" has more than two nodes`);
    else if (second !== undefined) {
      const [a, b] = [find(first), find(second)];
      const between = a.ports.filter(({ peer }) => peer === b.index);
      const peers = [...new Set(a.ports.map(({ peer }) => topology.nodes[peer]!.name))].join(", ");
      if (between.length === 0) wrong(`no link between ${a.name} and ${b.name}`, `its neighbours: ${peers}`);
      for (const { link } of between) addLink(link);
    } else if (first === "all") for (let link = 0; link < topology.links.length; link++) addLink(link);
    else if (node !== undefined && port !== undefined) {
      const found = find(node);
      const own = found.ports.find(({ number }) => number === Number(port));
      if (own === undefined)
        wrong(`${node} has no port ${port}`, `it has the ports 1 to ${found.ports.length}`);
      else {
        const { a } = topology.links[own.link]!;
        add({
          name: first,
          link: own.link,
          what: a.node === found.index && a.port === own.number ? "a" : "b",
        });
      }
    } else for (const { link } of find(first).ports) addLink(link);
  }
  return [...points.values()];
}

function directionName({ nodes, links }: Topology, link: number, forth: boolean): string {
  const { a, b } = links[link]!;
  const end = ({ node, port }: { node: number; port: number }) => `${nodes[node]!.name}:${port}`;
  return forth ? `${end(a)}>${end(b)}` : `${end(b)}>${end(a)}`;
}
