/** Networks that are listed node by node and link by link. */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft } from "./draft.js";
import { checkPorts, MAX_PORT } from "./limits.js";
import { finish } from "./racks.js";
import type { GraphSpec } from "./spec.js";
import { type Role, TIER, type Topology } from "./topology.js";

export function graph(spec: GraphSpec, locate: Locate): Topology {
  const draft = new Draft();
  const counts = new Map<Role, number>();
  for (const [i, { name, role }] of spec.nodes.entries()) {
    if (draft.byName.has(name))
      fail(CODES.contradiction, locate(["nodes", i, "name"]), `two nodes are called "${name}"`);
    const position = counts.get(role) ?? 0;
    counts.set(role, position + 1);
    draft.node(role, name, undefined, position);
  }
  for (const [i, link] of spec.links.entries()) {
    const end = (key: "a" | "b") =>
      draft.byName.get(link[key]) ??
      fail(CODES.linkEnd, locate(["links", i, key]), `no node is called "${link[key]}"`);
    let a = end("a");
    let b = end("b");
    if (a === b) fail(CODES.contradiction, locate(["links", i]), `a link leads from "${a.name}" to itself`);
    if (a.role === "host" && b.role === "host") {
      fail(CODES.contradiction, locate(["links", i]), `a link joins two hosts, "${a.name}" and "${b.name}"`);
    }
    if (TIER[a.role] > TIER[b.role]) [a, b] = [b, a];
    draft.link(a, b, link);
  }
  for (const [i] of spec.nodes.entries()) {
    const { name, ports, role } = draft.nodes[i]!;
    if (ports.length > MAX_PORT) checkPorts(`switch such as "${name}"`, ports.length, "links", locate);
    if (role === "host" && ports.length === 0) {
      fail(CODES.hostWithoutLink, locate(["nodes", i]), `host "${name}" has no link`);
    }
  }
  return finish(spec.name ?? "graph", draft, locate);
}
