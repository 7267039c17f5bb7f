/**
 * Jellyfish (Singla et al., NSDI 2012, section 3): a random regular graph of switches. Pairs of switches with free ports that are
 * not linked yet are linked at random. Where free ports remain, a random other link is removed and
 * its ends are linked with the switches that have the free ports. A graph that is not connected is drawn again.
 */
import { fail, type Locate, Random } from "../../base/index.js";
import { CODES } from "./codes.js";
import { Draft, type DraftNode } from "./draft.js";
import { addHosts } from "./flat.js";
import { checkHosts, checkPorts, MAX_SWITCHES, positive } from "./limits.js";
import { missingLinks } from "./links-down.js";
import { finish } from "./racks.js";
import type { JellyfishSpec } from "./spec.js";
import type { Topology } from "./topology.js";

const MAX_DRAWS = 100;

export function jellyfish(spec: JellyfishSpec, locate: Locate): Topology {
  const { switches, degree } = spec;
  positive(switches, "switches", locate);
  if (switches > MAX_SWITCHES)
    fail(
      CODES.addressesExceeded,
      locate(["switches"]),
      `${switches} switches with hosts: the address plan has room for ${MAX_SWITCHES}`,
    );
  if (degree < 1 || degree >= switches)
    fail(
      CODES.degree,
      locate(["degree"]),
      `a switch has ${degree} links`,
      `with ${switches} switches a switch can have 1 to ${switches - 1}`,
    );
  checkHosts(spec.hosts_per_switch, "hosts_per_switch", locate);
  checkPorts("switch", spec.hosts_per_switch + degree, "degree", locate);

  const draft = new Draft();
  const missing = missingLinks(spec.missing_links, locate);
  const nodes: DraftNode[] = [];
  for (let i = 0; i < switches; i++) nodes.push(draft.node("switch", `switch${i}`, undefined, i));
  for (const [i, own] of nodes.entries()) addHosts(draft, own, `${i}`, undefined, spec);
  for (const [a, b] of connectedGraph(spec, locate))
    if (!missing.takes(nodes[a]!, nodes[b]!)) draft.link(nodes[a]!, nodes[b]!, spec.fabric_link);
  missing.check(draft);
  return finish(spec.name ?? "jellyfish", draft, locate);
}

type Edge = readonly [a: number, b: number];

function connectedGraph({ switches, degree, seed }: JellyfishSpec, locate: Locate): Edge[] {
  const random = new Random(seed).fork("jellyfish");
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const edges = randomRegularGraph(switches, degree, random.fork(`draw ${draw}`));
    if (isConnected(switches, edges)) return edges;
  }
  return fail(
    CODES.degree,
    locate(["degree"]),
    `${MAX_DRAWS} random graphs of ${switches} switches with ${degree} links each were not connected`,
    "give the switches more links",
  );
}

/** Edges sorted by their ends; all switches have `degree` of them, except one where switches x degree is odd. */
function randomRegularGraph(switches: number, degree: number, random: Random): Edge[] {
  const neighbours = Array.from({ length: switches }, () => new Set<number>());
  const join = (a: number, b: number) => {
    neighbours[a]!.add(b);
    neighbours[b]!.add(a);
  };
  const free = (node: number) => degree - neighbours[node]!.size;
  let open = [...neighbours.keys()];
  for (;;) {
    open = open.filter((node) => free(node) > 0);
    const pair = drawOpenPair(open, neighbours, random);
    if (pair !== undefined) {
      join(...pair);
      continue;
    }
    // Either one switch has two free ports, or two switches that are already linked have one each.
    const node = open.find((one) => free(one) >= 2);
    const ends = node !== undefined ? [node, node] : open;
    if (ends.length < 2 || !takeLink(ends[0]!, ends[1]!, neighbours, random)) break;
  }
  return neighbours.flatMap((own, a) =>
    [...own]
      .filter((b) => a < b)
      .sort((x, y) => x - y)
      .map((b): Edge => [a, b]),
  );
}

/** Two different switches of `open` that are not joined; undefined where there are none. */
function drawOpenPair(
  open: readonly number[],
  neighbours: readonly ReadonlySet<number>[],
  random: Random,
): Edge | undefined {
  if (open.length < 2) return undefined;
  for (let tries = 0; tries < 4 * open.length; tries++) {
    const [a, b] = [open[random.int(open.length)]!, open[random.int(open.length)]!];
    if (a !== b && !neighbours[a]!.has(b)) return [a, b];
  }
  for (const a of open) for (const b of open) if (a < b && !neighbours[a]!.has(b)) return [a, b];
  return undefined;
}

/** Removes a link x-y and links p-x and q-y; p and q may be the same switch. False where no link allows that. */
function takeLink(p: number, q: number, neighbours: readonly Set<number>[], random: Random): boolean {
  const candidates: Edge[] = [];
  for (const [x, own] of neighbours.entries()) {
    if (x === p || x === q || neighbours[p]!.has(x)) continue;
    for (const y of own) if (y !== p && y !== q && !neighbours[q]!.has(y)) candidates.push([x, y]);
  }
  if (candidates.length === 0) return false;
  const [x, y] = candidates[random.int(candidates.length)]!;
  neighbours[x]!.delete(y);
  neighbours[y]!.delete(x);
  for (const [end, other] of [
    [p, x],
    [q, y],
  ] as const) {
    neighbours[end]!.add(other);
    neighbours[other]!.add(end);
  }
  return true;
}

function isConnected(switches: number, edges: readonly Edge[]): boolean {
  const next = Array.from({ length: switches }, (): number[] => []);
  for (const [a, b] of edges) {
    next[a]!.push(b);
    next[b]!.push(a);
  }
  const seen = new Set([0]);
  for (const node of seen) for (const peer of next[node]!) seen.add(peer);
  return seen.size === switches;
}
