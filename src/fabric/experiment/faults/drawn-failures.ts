/**
 * Failures that are drawn on the path of a flow: words such as `leaf`, or descriptions that say what fails, in which
 * direction, with which effect and for which packets.
 */
import { z } from "zod";
import type { Diagnostics, Locate } from "../../../base/index.js";
import type { Role, Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { type Effect, type Element, effectName, type Fault, type Flap, isCut, SILENCE } from "./fault.js";
import { checkFlap, effectKeys, type Place, packetEffect, packetMatch } from "./schema.js";

/** Failures by one word: a switch of a tier, any switch, or a link between a ToR and a leaf; all packets are lost. */
export const FAILURES = ["tor", "leaf", "spine", "switch", "link"] as const;

/** `switch`: a switch without a tier, except one that alone joins an end of the flow to the network. */
const TIERS = ["tor", "leaf", "spine", "switch"] as const;
export const LINK_TIERS = ["host-tor", "tor-leaf", "leaf-spine", "switch-switch"] as const;
export type LinkTier = (typeof LINK_TIERS)[number];

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

export type FailureSpec = z.output<typeof drawnFailureSchema>;

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
  if (sites.length !== 1 || flap !== undefined || !isCut({ effect, match })) return false;
  return effect.kind === "packets" && (site!.kind === "tier" || site!.direction === "both");
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
export function rolesOf(tiers: LinkTier): readonly [lower: Role, upper: Role] {
  return tiers.split("-") as [Role, Role];
}
