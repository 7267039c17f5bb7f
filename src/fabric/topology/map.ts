/**
 * Networks from maps: text files with one link per line, `NODE NODE WEIGHT`, with the file's names of nodes. A link that is listed in
 * both directions is one link (Rocketfuel's weights are per direction); `#` begins a comment. Each node becomes a switch with hosts.
 */
import { fail, type Locate, type SourceFile } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode } from "./draft.js";
import { addHosts } from "./flat.js";
import { checkHosts, checkPorts, MAX_PORT } from "./limits.js";
import { missingLinks } from "./links-down.js";
import { finish } from "./racks.js";
import type { MapSpec } from "./spec.js";
import type { Topology } from "./topology.js";

interface MapLink {
  readonly a: string;
  readonly b: string;
  readonly weight: number;
}

export function mapNetwork(spec: MapSpec, source: SourceFile, locate: Locate): Topology {
  checkHosts(spec.hosts_per_switch, "hosts_per_switch", locate);
  const links = readMap(source);
  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const nodes = new Map<string, DraftNode>();
  for (const name of links.flatMap(({ a, b }) => [a, b]))
    if (!nodes.has(name)) nodes.set(name, draft.node("switch", `n${name}`, undefined, nodes.size));
  for (const node of [...nodes.values()]) addHosts(draft, node, `-${node.name}`, undefined, spec);
  for (const { a, b, weight } of links) {
    const [one, other] = [nodes.get(a)!, nodes.get(b)!];
    if (!missing.takes(one, other)) draft.link(one, other, spec.fabric_link, weight);
  }
  missing.check(draft);
  for (const { name, ports } of nodes.values())
    if (ports.length > MAX_PORT) checkPorts(`switch such as "${name}"`, ports.length, "map", locate);
  return finish(spec.name ?? spec.map, draft, locate);
}

/** The links of a map, each once, in the order of the file. Throws DiagnosticError P42112 at the line that is wrong. */
function readMap(source: SourceFile): MapLink[] {
  const links = new Map<string, MapLink>();
  let offset = 0;
  for (const line of source.text.split("\n")) {
    const start = offset;
    offset += line.length + 1;
    const words = line.replace(/#.*/, "").trim().split(/\s+/);
    if (words[0] === "") continue;
    const span = { file: source, start, end: start + line.length };
    const [a, b, weight] = words as [string, string?, string?];
    if (words.length !== 3 || b === undefined || !(Number(weight) > 0))
      return fail(
        CODES.map,
        span,
        `"${line.trim()}" is no link`,
        "write NODE NODE WEIGHT, the weight above 0",
      );
    if (a === b) return fail(CODES.map, span, `a link leads from "${a}" to itself`);
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (!links.has(key)) links.set(key, { a, b, weight: Number(weight) });
  }
  if (links.size === 0)
    return fail(
      CODES.map,
      { file: source, start: 0, end: 0 },
      "the map has no links",
      "write lines of the form NODE NODE WEIGHT",
    );
  return [...links.values()];
}
