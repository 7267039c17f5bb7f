/**
 * The list of faults of a file: the meaning of each entry, and whether it contradicts earlier entries. An entry begins a
 * fault, or ends one that began earlier (`repair`, `up`, `restart`).
 */
import { z } from "zod";
import { type Diagnostics, defined, type Locate } from "../../../base/index.js";
import { durationSchema, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { elementKeys, elementOf, type FlowNumbers } from "./element.js";
import { directionsOf, type Effect, type Element, elementName, type Fault, SILENCE } from "./fault.js";
import { checkFlap, effectKeys, type Place, packetEffect, packetMatch } from "./schema.js";

/** Maximum number of packets that one fault drops. */
const MAX_DROPS = 1000;

const DROP = `expected the number of a packet, from 1, or a list of at most ${MAX_DROPS}`;
const packetNumber = z.number({ error: DROP }).int(DROP).min(1, DROP);

const KINDS = ["silent", "repair", "down", "up", "kill", "restart"] as const;
type Kind = (typeof KINDS)[number];

export const listedFaultSchema = z.strictObject({
  at: durationSchema,
  /** Time at which the fault ends without a further entry. */
  until: durationSchema.optional(),
  /** In place of effects on packets. */
  kind: z.enum(KINDS).optional(),
  ...elementKeys,
  ...effectKeys,
  /** Of a flow: the numbers of its packets that are lost. */
  drop: z.union([packetNumber, z.array(packetNumber).min(1).max(MAX_DROPS)], { error: DROP }).optional(),
  /** Which packets of the flow have numbers: those with data, or all. */
  counted: z.enum(["data", "all"]).optional(),
  /** In place of an element: the name of a controller; see `controllerFaults`. */
  controller: z.string().optional(),
});

export type ListedFault = z.output<typeof listedFaultSchema>;

/** By kind: the effect that this kind ends. */
const ENDS: Partial<Record<Kind, Exclude<Effect["kind"], "drop">>> = {
  repair: "packets",
  up: "down",
  restart: "kill",
};

/** The kinds of faults that each sort of element can have. */
const KINDS_OF: Readonly<Record<string, readonly Kind[]>> = {
  link: ["silent", "repair", "down", "up"],
  port: ["silent", "repair", "down", "up"],
  switch: ["silent", "repair", "kill", "restart"],
  host: ["silent", "repair"],
  control: ["silent", "repair"],
  flow: [],
};

/** Maximum number of changes of state; more are a mistake, such as a flap of 1 us over minutes. */
const MAX_TRANSITIONS = 100_000;

export interface FaultList {
  readonly faults: readonly ListedFault[];
  /** Nanoseconds: where the experiment ends. */
  readonly duration: number;
  /** Version of the traffic. */
  readonly ip: 4 | 6;
  readonly flows: FlowNumbers;
}

/** An entry with the element that it names. */
interface Entry {
  readonly number: number;
  readonly spec: ListedFault;
  readonly element: Element;
  readonly place: Place;
}

/**
 * The faults of a list, in its order; those of controllers are left out. Adds P43014 for names that the topology does not have, and
 * P43015 for two faults that contradict each other, P43022 and P43028 for times, P43029 to P43037 for what a fault cannot be. After an error the faults must not be used.
 */
export function listedFaults(
  { faults, duration, ip, flows }: FaultList,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): Fault[] {
  const before = diagnostics.errorCount;
  const entries = faults.flatMap((spec, number): Entry[] => {
    if (spec.controller !== undefined) return [];
    const place: Place = {
      at: (...keys) => locate(["faults", number, ...keys.filter((key) => key !== undefined)]),
      diagnostics,
    };
    const element = elementOf(spec, topology, flows, place);
    checkKind(spec, place);
    checkTimes(spec, duration, place);
    if (spec.rate !== undefined && element !== undefined) checkRated(element, topology, place);
    return element === undefined ? [] : [{ number, spec, element, place }];
  });
  if (diagnostics.errorCount > before) return [];
  const result: (Fault & { until: number | undefined })[] = [];
  const begin = ({ number, spec, element, place }: Entry): void => {
    const { kind, at, until, flap } = spec;
    const effect =
      dropEffect(spec) ??
      packetEffect(spec, place) ??
      (kind === "silent" ? SILENCE : { kind: kind as "down" | "kill" });
    const match = packetMatch(spec.match, topology, ip, place);
    const fault = { number, element, effect, match, at, until, flap };
    const other = result.find((one) => contradicts(one, fault));
    if (other !== undefined)
      place.diagnostics.error(
        CODES.faultState,
        place.at("kind") ?? place.at("drop") ?? place.at(contradiction(other, fault)),
        `${elementName(topology, element)} ${already(other, fault)} already`,
        `by entry ${other.number + 1} of faults, until ${other.until === undefined ? "the end" : `${other.until / 1e6} ms`}`,
      );
    result.push(fault);
  };
  const inTime = entries.toSorted((a, b) => a.spec.at - b.spec.at || a.number - b.number);
  for (const entry of inTime) {
    const { spec, element, place } = entry;
    const ended = ENDS[spec.kind ?? "silent"];
    if (ended === undefined) {
      begin(entry);
      continue;
    }
    const open = result.filter(
      (one) => one.until === undefined && one.effect.kind === ended && sameElement(one.element, element),
    );
    if (open.length === 0)
      diagnostics.error(
        CODES.faultState,
        place.at("kind"),
        `${elementName(topology, element)} is not ${STATE[ended]} then`,
      );
    for (const fault of open) {
      if (fault.at === spec.at)
        diagnostics.error(
          CODES.faultTimes,
          place.at("at"),
          "the fault ends when it begins",
          "write a later time",
        );
      fault.until = spec.at;
    }
  }
  const listed = result.toSorted((a, b) => a.number - b.number);
  if (diagnostics.errorCount > before) return listed;
  checkNumber(listed, duration, locate, diagnostics);
  return listed;
}

const STATE: Readonly<Record<Exclude<Effect["kind"], "drop">, string>> = {
  packets: "silent",
  down: "down",
  kill: "killed",
};

function dropEffect({ drop, counted = "data" }: ListedFault): Effect | undefined {
  if (drop === undefined) return undefined;
  const numbers = [...new Set(Array.isArray(drop) ? drop : [drop])].sort((a, b) => a - b);
  return { kind: "drop", numbers, counted };
}

/** Adds P43029 where a share of a link's rate in bits has no effect, because the link's rate is in packets. */
function checkRated(element: Element, topology: Topology, { at, diagnostics }: Place): void {
  const rated = directionsOf(topology, element).find(
    ({ link }) => defined(topology.links[link]).ratePps !== undefined,
  );
  if (rated === undefined) return;
  const { a, b, ratePps } = defined(topology.links[rated.link]);
  const name = [a, b].map(({ node }) => defined(topology.nodes[node]).name).join(" - ");
  diagnostics.error(
    CODES.faultEffect,
    at("rate"),
    `${name} carries ${ratePps} packets per second whatever their sizes: a share of its rate in bits would change nothing`,
    "write a loss or a delay, or another rate_pps",
  );
}

function checkKind(spec: ListedFault, { at, diagnostics }: Place): void {
  const { kind } = spec;
  if (spec.flow !== undefined || spec.drop !== undefined || spec.counted !== undefined) {
    checkDrop(spec, { at, diagnostics });
    return;
  }
  const effects = (["loss", "corruption", "delay", "rate"] as const).filter((key) => spec[key] !== undefined);
  const element = Object.keys(KINDS_OF).find((key) => spec[key as keyof ListedFault] !== undefined) ?? "link";
  if (kind === undefined && effects.length === 0)
    diagnostics.error(
      CODES.faultEffect,
      at(),
      "a fault without an effect",
      `write a kind (${KINDS.join(", ")}), or loss, corruption, delay or rate`,
    );
  if (kind !== undefined && effects.length > 0)
    diagnostics.error(
      CODES.faultKeys,
      at(defined(effects[0])),
      `kind: ${kind} and ${effects[0]} contradict each other`,
      "write a fault of its own for each",
    );
  if (kind !== undefined && !defined(KINDS_OF[element]).includes(kind))
    diagnostics.error(
      CODES.faultKeys,
      at("kind"),
      `a ${element} has no fault of the kind "${kind}"`,
      `kinds of a ${element}: ${defined(KINDS_OF[element]).join(", ")}`,
    );
  for (const key of ["corruption", "rate", "match"] as const)
    if (element === "control" && spec[key] !== undefined)
      diagnostics.error(
        CODES.faultKeys,
        at(key),
        `the messages of a control channel have no ${key}`,
        "a control channel has kind: silent, loss, delay and flap; its rate is control_channel.rate",
      );
  const refuse = (key: "until" | "flap" | "match" | "direction", why: string) => {
    if (spec[key] !== undefined)
      diagnostics.error(CODES.faultKeys, at(key), `kind: ${kind} has no ${key}: ${why}`);
  };
  if (kind === undefined || kind === "silent") return;
  refuse("match", "it does not concern packets");
  if (kind !== "repair") refuse("direction", "it concerns the whole link");
  if (kind === "kill") refuse("flap", "write one kill for each time");
  if (ENDS[kind] === undefined) return;
  refuse("until", "it ends a fault");
  refuse("flap", "it ends a fault");
}

/** Adds P43029 for a fault of a flow that drops nothing, P43037 for drops elsewhere and for other keys beside them. */
function checkDrop(spec: ListedFault, { at, diagnostics }: Place): void {
  for (const key of ["drop", "counted"] as const)
    if (spec.flow === undefined && spec[key] !== undefined)
      diagnostics.error(
        CODES.faultKeys,
        at(key),
        `${key} is of the packets of a flow`,
        "write flow: NUMBER in place of another element; a link or a host has loss, with match for some of its packets",
      );
  if (spec.flow === undefined) return;
  for (const key of ["kind", "loss", "corruption", "delay", "rate", "match", "flap"] as const)
    if (spec[key] !== undefined)
      diagnostics.error(
        CODES.faultKeys,
        at(key),
        `a flow has no ${key}: its fault is the drop of certain packets`,
        "write drop: [NUMBER, ...], or name a link, a port, a switch or a host",
      );
  if (spec.drop === undefined)
    diagnostics.error(
      CODES.faultEffect,
      at(),
      "a fault of a flow without the packets that it drops",
      "write drop: [NUMBER, ...]; the first packet with data has number 1",
    );
}

function checkTimes({ at, until, flap }: ListedFault, duration: number, place: Place): void {
  const { diagnostics } = place;
  if (at >= duration)
    diagnostics.error(
      CODES.afterTheEnd,
      place.at("at"),
      "the fault comes after the end of the run, see `duration`",
    );
  if (until !== undefined && until <= at)
    diagnostics.error(
      CODES.faultTimes,
      place.at("until"),
      `until, ${until / 1e6} ms, is not after at, ${at / 1e6} ms`,
    );
  checkFlap(flap, place);
}

function sameElement(a: Element, b: Element): boolean {
  if (a.kind !== b.kind || a.index !== b.index) return false;
  if (a.kind === "flow" && b.kind === "flow") return a.ways === b.ways;
  return a.kind !== "link" || b.kind !== "link" || a.ways === b.ways;
}

/** Whether two faults do the same to the same packets of one element at the same time: one of them is a mistake. */
function contradicts(one: Fault, other: Fault): boolean {
  const overlap =
    one.at < (other.until ?? Number.POSITIVE_INFINITY) && other.at < (one.until ?? Number.POSITIVE_INFINITY);
  if (!overlap || !sameElement(one.element, other.element) || !sameMatch(one, other)) return false;
  return contradiction(one, other) !== undefined;
}

/** The key of an effect that both faults have. */
function contradiction(
  one: Fault,
  other: Fault,
): "loss" | "corruption" | "delay" | "rate" | "kind" | undefined {
  const [a, b] = [one.effect, other.effect];
  if (a.kind !== "packets" || b.kind !== "packets") return a.kind === b.kind ? "kind" : undefined;
  return (["loss", "corruption", "delay", "rate"] as const).find(
    (key) => (a[key] ?? 0) > 0 && (b[key] ?? 0) > 0,
  );
}

function already(one: Fault, other: Fault): string {
  if (one.effect.kind === "drop") return "has drops";
  if (one.effect.kind !== "packets") return `is ${STATE[one.effect.kind]}`;
  if (one.effect.loss === 1) return "is silent";
  const key = contradiction(one, other);
  return `has a ${key} of the same packets`;
}

function sameMatch(one: Fault, other: Fault): boolean {
  const text = ({ match }: Fault) =>
    JSON.stringify(match ?? {}, (_, value) => (typeof value === "bigint" ? `${value}` : value));
  return text(one) === text(other);
}

function checkNumber(
  faults: readonly Fault[],
  duration: number,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  let total = 0;
  for (const fault of faults) {
    if (total > MAX_TRANSITIONS) return;
    const { at, until = duration, flap } = fault;
    total += flap === undefined ? 2 : (2 * (Math.min(until, duration) - at)) / flap.period;
    if (total > MAX_TRANSITIONS)
      diagnostics.error(
        CODES.tooManyChanges,
        locate(["faults", fault.number, "flap"]) ?? locate(["faults", fault.number]),
        `faults begin and end more than ${MAX_TRANSITIONS} times`,
        "write a longer period",
      );
  }
}
