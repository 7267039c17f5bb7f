/**
 * The failures of a file: what each does, which elements of a path it can hit, and from how many equal ones they are chosen. The closed forms need
 * all of it.
 */

import { z } from "zod";
import { type Diagnostics, defined, type Locate } from "../../../../base/index.js";
import { type Rack, type Role, rackClasses, type Topology, typicalPods } from "../../../topology/index.js";
import type { PairPattern } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import {
  type Effect,
  type Element,
  effectName,
  type Fault,
  type Flap,
  isCut,
  SILENCE,
} from "../../faults/fault.js";
import { checkFlap, effectKeys, type Place, packetEffect, packetMatch } from "../../faults/schema.js";

/** The elements of a class on a path of node indexes, in the order in which a packet meets them. */
export function sitesOnPath(topology: Topology, path: readonly number[], site: SiteClass): Element[] {
  const { nodes } = topology;
  if (site.kind === "tier")
    return path
      .filter((node, i) => defined(nodes[node]).role === site.role && !isOnlySwitch(topology, path, i))
      .map((index) => ({ kind: "node", index }));
  const [lower, upper] = rolesOf(site.tiers);
  const sites: Element[] = [];
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [defined(nodes[defined(path[i - 1])]), defined(nodes[defined(path[i])])];
    const up = from.role === lower && to.role === upper;
    if (!up && (from.role !== upper || to.role !== lower)) continue;
    if (site.direction !== "both" && site.direction !== (up ? "up" : "down")) continue;
    const { link } = defined(from.ports.find((candidate) => candidate.peer === to.index));
    // The first end of a link in a topology is the lower one.
    const ways =
      site.direction === "both" ? "both" : defined(topology.links[link]).a.node === from.index ? "out" : "in";
    sites.push({ kind: "link", index: link, ways });
  }
  return sites;
}

/** Whether a switch without a tier is the only switch of the host that is its neighbour on the path. */
function isOnlySwitch({ nodes, racks }: Topology, path: readonly number[], at: number): boolean {
  if (defined(nodes[defined(path[at])]).role !== "switch") return false;
  return [path[at - 1], path[at + 1]].some((beside) => {
    const host = beside === undefined ? undefined : defined(nodes[beside]).host;
    return host !== undefined && defined(racks[host.rack]).switches.length === 1;
  });
}

/** Whether two sites are one switch, or one link in any direction. */
export function isSameSite(a: Element, b: Element): boolean {
  return a.kind === b.kind && a.index === b.index;
}

/** Sites with the same key are on the same paths. */
export function siteKey(site: SiteClass): string {
  return site.kind === "tier" ? site.role : site.tiers;
}

/** Keys of the sites on the paths between some two hosts of the pattern; undefined when no two hosts fit the pattern. */
export function placesOf(topology: Topology, pattern: PairPattern): Set<string> | undefined {
  const counts = siteCounts(topology, pattern);
  return counts === undefined ? undefined : new Set(counts.keys());
}

/**
 * N of the closed forms: from how many equal-cost sites of a failure each direction chooses. Undefined where
 * the number differs between pairs of hosts of the pattern, and for failures other than one element that loses everything.
 */
export function equalSites(
  topology: Topology,
  pattern: PairPattern,
  failure: DrawnFailure,
): number | undefined {
  if (!isSingleCut(failure) || isWithoutTier(defined(failure.sites[0]))) return undefined;
  const counts = siteCounts(topology, pattern)?.get(siteKey(defined(failure.sites[0])));
  return counts?.size === 1 ? [...counts][0] : undefined;
}

/** Whether pairs of hosts meet different numbers of such switches and links, at different distances. */
function isWithoutTier(site: SiteClass): boolean {
  return siteKey(site) === "switch" || siteKey(site) === "switch-switch";
}

/** By {@link siteKey}: the numbers of equal-cost sites that occur at any step of a shortest path. */
type SiteCounts = Map<string, Set<number>>;

const known = new WeakMap<Topology, Map<PairPattern, SiteCounts | undefined>>();

/** Counted once for each topology and pattern; undefined where no two hosts fit the pattern. */
function siteCounts(topology: Topology, pattern: PairPattern): SiteCounts | undefined {
  const ofTopology = known.get(topology) ?? new Map<PairPattern, SiteCounts | undefined>();
  known.set(topology, ofTopology);
  if (!ofTopology.has(pattern)) ofTopology.set(pattern, countSites(topology, pattern));
  return ofTopology.get(pattern);
}

function countSites(topology: Topology, pattern: PairPattern): SiteCounts | undefined {
  const result: SiteCounts = new Map();
  let pairs = 0;
  for (const [destination, sources] of typicalPairs(topology, pattern)) {
    const hops = distances(topology, destination);
    for (const source of sources) {
      pairs++;
      addSteps(topology, source, hops, result);
    }
  }
  return pairs === 0 ? undefined : result;
}

/**
 * Pairs of hosts, by destination, such that every pair of the pattern has the same numbers of paths as one of them.
 * Racks of one class and pod are alike ({@link rackClasses}), and so are some pods ({@link typicalPods}). A path has the same sites
 * in both directions.
 */
function* typicalPairs(
  topology: Topology,
  pattern: PairPattern,
): Generator<readonly [destination: number, sources: readonly number[]]> {
  const { classOf } = rackClasses(topology);
  const pods = typicalPods(topology);
  const groups = new Map<string, Rack[]>();
  for (const rack of topology.racks) {
    if (!pods.has(rack.pod)) continue;
    const key = `${classOf[rack.index]} ${rack.pod}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(rack);
  }
  const list = [...groups.values()];
  for (const [i, group] of list.entries()) {
    const [first, second] = group;
    const sources: number[] = [];
    if (second !== undefined && pattern !== "inter_pod") sources.push(defined(second.hosts[0]));
    for (const [other] of list.slice(i + 1))
      if (pattern !== "inter_pod" || defined(other).pod !== defined(first).pod)
        sources.push(defined(defined(other).hosts[0]));
    yield [defined(defined(first).hosts[0]), sources];
    const shared = pattern === "any" ? group.find(({ hosts }) => hosts.length > 1) : undefined;
    if (shared !== undefined) yield [defined(shared.hosts[0]), [defined(shared.hosts[1])]];
  }
}

/** Adds the number of sites at each step of the shortest paths from a host, given the hops to their end. */
function addSteps(topology: Topology, source: number, hops: Int32Array, result: SiteCounts): void {
  const { nodes } = topology;
  const add = (key: string, sites: number) => {
    if (sites === 0) return;
    const counts = result.get(key) ?? new Set();
    result.set(key, counts.add(sites));
  };
  let layer: ReadonlySet<number> = new Set([source]);
  for (let left = defined(hops[source]); left >= 1; left--) {
    const next = new Set<number>();
    const links = new Map<LinkTier, number>();
    for (const node of layer) {
      for (const { peer } of defined(nodes[node]).ports) {
        if (hops[peer] !== left - 1) continue;
        next.add(peer);
        const tiers = linkTier(defined(nodes[node]).role, defined(nodes[peer]).role);
        if (tiers !== undefined) links.set(tiers, (links.get(tiers) ?? 0) + 1);
      }
    }
    for (const [tiers, number] of links) add(tiers, number);
    for (const role of ["tor", "leaf", "spine"] as const)
      add(role, [...next].filter((node) => defined(nodes[node]).role === role).length);
    const isEnd = (node: number) =>
      defined(topology.racks[defined(defined(nodes[source]).host).rack]).switches.join() === `${node}` ||
      (left === 2 && next.size === 1);
    add("switch", [...next].filter((node) => defined(nodes[node]).role === "switch" && !isEnd(node)).length);
    layer = next;
  }
}

/** The class of links between nodes of these roles. */
function linkTier(a: Role, b: Role): LinkTier | undefined {
  return LINK_TIERS.find((tiers) => {
    const [lower, upper] = rolesOf(tiers);
    return (a === lower && b === upper) || (a === upper && b === lower);
  });
}

/** Hops from a host to every node, -1 where there is no path; hosts do not forward. */
function distances(topology: Topology, start: number): Int32Array {
  const hops = new Int32Array(topology.nodes.length).fill(-1);
  hops[start] = 0;
  const queue = [start];
  for (const index of queue) {
    const node = defined(topology.nodes[index]);
    if (node.role === "host" && index !== start) continue;
    for (const { peer } of node.ports) {
      if (defined(hops[peer]) >= 0) continue;
      hops[peer] = defined(hops[index]) + 1;
      queue.push(peer);
    }
  }
  return hops;
}

// Failures that are drawn on the path of a flow: words such as `leaf`, or descriptions that say what fails, in which
// direction, with which effect and for which packets.

/** Failures by one word: a switch of a tier, any switch, or a link between a ToR and a leaf; all packets are lost. */
export const FAILURES = ["tor", "leaf", "spine", "switch", "link"] as const;

/** `switch`: a switch without a tier, except one that alone joins an end of the flow to the network. */
const TIERS = ["tor", "leaf", "spine", "switch"] as const;
const LINK_TIERS = ["host-tor", "tor-leaf", "leaf-spine", "switch-switch"] as const;
type LinkTier = (typeof LINK_TIERS)[number];

/** Class of the elements from which a failed one is drawn, on the path of a flow. */
export type SiteClass =
  | { readonly kind: "tier"; readonly role: (typeof TIERS)[number] }
  /** A link between two tiers; `up`: only what the lower tier sends, `down`: only what the upper one sends. */
  | { readonly kind: "link"; readonly tiers: LinkTier; readonly direction: "both" | "up" | "down" };

export interface DrawnFailure {
  /** Name in the results. */
  readonly name: string;
  /** Name in figures and tables for people. */
  readonly title: string;
  /** All of these fail at once; each is a different element. */
  readonly sites: readonly SiteClass[];
  readonly effect: Effect;
  readonly match: Fault["match"];
  readonly flap: Flap | undefined;
}

/** More failures at once would leave no path. */
const MAX_AT_ONCE = 8;

const oneOrMore = <T extends readonly [string, ...string[]]>(words: T) => {
  const error = ({ input }: { readonly input?: unknown }) =>
    Array.isArray(input) && input.length > MAX_AT_ONCE
      ? `expected a list of at most ${MAX_AT_ONCE}`
      : `expected one of ${words.join(", ")}, or a list of these`;
  return z.union([z.enum(words), z.array(z.enum(words)).min(1).max(MAX_AT_ONCE)], { error });
};

export const drawnFailureSchema = z.union([
  z.enum(FAILURES),
  z.strictObject({
    /** Replaces the name that follows from the other keys. */
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9 ._+%-]*$/,
        "expected letters, digits, spaces and . _ + % -, a letter or digit first",
      )
      .optional(),
    /** Class of the element that fails; with a list, all of them fail at once. */
    tier: oneOrMore(TIERS).optional(),
    link: oneOrMore(LINK_TIERS).optional(),
    direction: z.enum(["both", "up", "down"]).optional(),
    /** In place of effects on packets. */
    kind: z.enum(["silent", "down", "kill"]).optional(),
    ...effectKeys,
  }),
]);

type FailureSpec = z.output<typeof drawnFailureSchema>;

const TITLES = {
  tor: "ToR",
  leaf: "leaf",
  spine: "spine",
  switch: "switch",
  "host-tor": "host-ToR link",
  "tor-leaf": "ToR-leaf link",
  "leaf-spine": "leaf-spine link",
  "switch-switch": "link",
} as const;

const TOR_LEAF: SiteClass = { kind: "link", tiers: "tor-leaf", direction: "both" };

/** The failures that the entries of `failures` describe. Adds P43007 for one that is listed twice; P43014 and P43029 to P43037 as lists of faults do. */
export function drawnFailures(
  specs: readonly FailureSpec[],
  topology: Topology,
  ip: 4 | 6,
  locate: Locate,
  diagnostics: Diagnostics,
): DrawnFailure[] {
  const names = new Set<string>();
  return specs.map((spec, i) => {
    const place: Place = {
      at: (...keys) => locate(["failures", i, ...keys.filter((key) => key !== undefined)]),
      diagnostics,
    };
    const failure = typeof spec === "string" ? failureOfWord(spec) : described(spec, topology, ip, place);
    if (names.has(failure.name))
      diagnostics.error(
        CODES.listedTwice,
        place.at(),
        `failure "${failure.name}" is listed twice`,
        ...(typeof spec === "string" ? [] : ["give one of the two a name of its own: { name: ..., ... }"]),
      );
    names.add(failure.name);
    return failure;
  });
}

/** A failure by one word. */
export function failureOfWord(word: (typeof FAILURES)[number]): DrawnFailure {
  const site: SiteClass = word === "link" ? TOR_LEAF : { kind: "tier", role: word };
  const title = TITLES[word === "link" ? "tor-leaf" : word];
  return { name: word, title, sites: [site], effect: SILENCE, match: undefined, flap: undefined };
}

function described(
  spec: Exclude<FailureSpec, string>,
  topology: Topology,
  ip: 4 | 6,
  place: Place,
): DrawnFailure {
  const { kind, flap, direction = "both" } = spec;
  const { diagnostics } = place;
  const sites: SiteClass[] = [
    ...listOf(spec.tier).map((role): SiteClass => ({ kind: "tier", role })),
    ...listOf(spec.link).map((tiers): SiteClass => ({ kind: "link", tiers, direction })),
  ];
  if (sites.length === 0)
    diagnostics.error(
      CODES.oneElement,
      place.at(),
      "a failure without an element",
      `write tier: ${TIERS.join(", ")}, or link: ${LINK_TIERS.join(", ")}`,
    );
  if (spec.direction !== undefined && spec.link === undefined)
    diagnostics.error(
      CODES.faultDirection,
      place.at("direction"),
      "a switch has no direction",
      "name a link, or leave it out",
    );
  if (direction !== "both" && listOf(spec.link).includes("switch-switch"))
    diagnostics.error(
      CODES.faultDirection,
      place.at("direction"),
      `direction: ${direction} of a link between switches without a tier, neither of which is above the other`,
      "leave the direction out, or give the switches the roles tor, leaf and spine",
    );
  if (kind === "down" && (spec.tier !== undefined || spec.match !== undefined || direction !== "both"))
    diagnostics.error(
      CODES.faultKeys,
      place.at("kind"),
      "kind: down is a fault of whole links",
      "name a link, without match and direction",
    );
  if (kind === "kill" && (spec.link !== undefined || spec.match !== undefined || flap !== undefined))
    diagnostics.error(
      CODES.faultKeys,
      place.at("kind"),
      "kind: kill is a fault of whole switches",
      "name a tier, without match and flap",
    );
  checkFlap(flap, place);
  const packets = packetEffect(spec, place);
  if (kind !== undefined && packets !== undefined)
    diagnostics.error(
      CODES.faultKeys,
      place.at("kind"),
      `kind: ${kind} and an effect on packets contradict each other`,
    );
  const effect: Effect = packets ?? (kind === "down" || kind === "kill" ? { kind } : SILENCE);
  const match = packetMatch(spec.match, topology, ip, place);
  const words = sites.map((site) => (site.kind === "tier" ? site.role : site.tiers));
  const titles = sites.map((site) => TITLES[site.kind === "tier" ? site.role : site.tiers]);
  const way = direction === "both" ? "" : ` ${direction}`;
  const plain = isCut({ effect, match }) && effect.kind === "packets" && flap === undefined;
  const what = plain ? "" : effectName({ effect, match, flap });
  return {
    name: spec.name ?? [words.join(" + ") + way, what].filter((text) => text !== "").join(" "),
    title: spec.name ?? [titles.join(" and ") + way, what].filter((text) => text !== "").join(", "),
    sites,
    effect,
    match,
    flap,
  };
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value as T];
}

/** Whether it is one element that loses everything in both directions: the case of the closed forms. */
export function isSingleCut({ sites, effect, match, flap }: DrawnFailure): boolean {
  const [site] = sites;
  if (site === undefined || sites.length !== 1 || flap !== undefined || !isCut({ effect, match }))
    return false;
  return effect.kind === "packets" && (site.kind === "tier" || site.direction === "both");
}

/**
 * Whether some packets get through while the failure lasts. Such a flow is observed for a fixed time, because it may recover
 * without another path, and lose packets again.
 */
export function isPartial({ effect, match, flap }: DrawnFailure): boolean {
  return flap !== undefined || !isCut({ effect, match });
}

/** Failures with the same key have the same draws of flows and elements, whatever the effect of the failure is. */
export function drawKey({ sites }: DrawnFailure): string {
  return sites
    .map((site) => {
      if (site.kind === "tier") return site.role;
      const word = site.tiers === "tor-leaf" ? "link" : site.tiers;
      return site.direction === "both" ? word : `${word} ${site.direction}`;
    })
    .join(" + ");
}

/** Faults of these elements that begin at time 0 and last until the caller ends them. */
export function faultsOf({ effect, match, flap }: DrawnFailure, elements: readonly Element[]): Fault[] {
  return elements.map((element, number) => ({
    number,
    element,
    effect,
    match,
    at: 0,
    until: undefined,
    flap,
  }));
}

/** Roles of the lower and the upper end of a link of this class. */
function rolesOf(tiers: LinkTier): readonly [lower: Role, upper: Role] {
  return tiers.split("-") as [Role, Role];
}
