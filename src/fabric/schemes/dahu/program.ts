/** The values of the template `templates/dahu/switch.p4.hbs`. */
import { z } from "zod";
import { checkValues, type ProgramPlan, selectorValues } from "../../../toolchain/generate/index.js";
import { copyValues, HASHES } from "./copies.js";
import { countField, DEROUTE_FIELDS, type DerouteField } from "./count-field.js";

/** Widths of a bitmap. */
export const BITMAP_WIDTHS = [8, 16, 32, 64, 128] as const;

const count = z.number().int().min(1);

const schema = z.strictObject({
  /** Name of the role for people. */
  role: z.string(),
  /** Bits of a bitmap. */
  ports: z.literal([...BITMAP_WIDTHS]),
  groups: count.max(256),
  /** Virtual ports of a group, as a power of two. */
  virtualPortBits: z.number().int().min(4).max(15),
  /** `register`: all hashes read one register array. `copies`: each has a table of its own, as chips need it. */
  map: z.enum(["register", "copies"]).default("register"),
  /** A second round of hashes. */
  retry: z.boolean().default(true),
  /** The field of the deroute count. */
  field: z.enum(DEROUTE_FIELDS),
  /** Unit of the traffic counters. */
  unit: z.enum(["bytes", "packets"]),
  /** Microseconds between two reports of derouted packets, and number of stored times. */
  feedback: z.strictObject({ interval: count, places: count }).optional(),
  /** Entries of each of the two route tables, and number of destinations beyond this switch. */
  sizes: z.strictObject({ routes: count, destinations: count }),
});

export type DahuProgram = z.input<typeof schema>;

const TEMPLATE = "dahu/switch";

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function dahuProgram(name: string, input: DahuProgram): ProgramPlan {
  const { field, map, ...program } = checkValues(TEMPLATE, schema, input);
  const { ports, groups, virtualPortBits } = program;
  const virtualPorts = 2 ** virtualPortBits;
  const fields = hashFields();
  const values = {
    ...program,
    feedback: program.feedback ?? false,
    virtualPorts,
    hashes: HASHES,
    allPorts: hex(ports, ones(ports)),
    portCounters: ports + 1,
    groupCounters: groups * ports,
    mapSize: groups * virtualPorts,
    startTop: virtualPortBits - 1,
    stepTop: 16 + virtualPortBits - 1,
    tries: Array.from({ length: HASHES }, (_, k) => virtualPortOf(k)),
    triesDown: Array.from({ length: HASHES }, (_, k) => HASHES - 1 - k),
    levels: levelsOf(ports),
    levelsDown: levelsOf(ports).toReversed(),
    fields,
    copies:
      map === "copies" &&
      copyValues(ports, program.retry ? [fields.first, fields.second] : [fields.first], fields.second),
    deroute: derouteValues(field, program.feedback !== undefined),
    lifetime: lifetimeValues(field),
    directions: [],
    routeActions: ["to_port", "to_destination"],
    selector: selectorValues(field),
    ethernetPayloads:
      program.feedback === undefined ? [] : [{ type: "TYPE_FEEDBACK", header: "feedback", carriesIp: false }],
  };
  return { name, template: TEMPLATE, values };
}

/** `start + k step` by shifts: hardware has no multiplier. */
function virtualPortOf(k: number): string {
  const terms = ["start"];
  for (let bit = 0; 1 << bit <= k; bit++)
    if (((k >> bit) & 1) === 1) terms.push(bit === 0 ? "step" : `(step << ${bit})`);
  return terms.join(" + ");
}

function ones(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}

function hex(width: number, value: bigint): string {
  return `${width}w0x${value.toString(16)}`;
}

/** The fields in which the bits of a bitmap are counted: of 1 bit, 2 bits and so on; `mask` selects every second one of them. */
function levelsOf(ports: number) {
  const levels: { width: number; double: number; mask: string; field: string }[] = [];
  for (let width = 1; width < ports; width *= 2) {
    let mask = 0n;
    for (let at = 0; at < ports; at += 2 * width) mask |= ones(width) << BigInt(at);
    levels.push({
      width,
      double: 2 * width,
      mask: hex(ports, mask),
      field: hex(ports, ones(width)),
    });
  }
  return levels;
}

/**
 * Inputs of the two rounds and of the last choice, in three orders: three functions, even if all have one polynomial. They include the
 * deroute count (section 3.3), so that a packet that comes back chooses again.
 */
function hashFields() {
  const tuple = [
    "meta.flow_src",
    "meta.flow_dst",
    "meta.flow_protocol",
    "meta.flow_src_port",
    "meta.flow_dst_port",
  ];
  const count = "4w0 ++ meta.deroutes";
  return {
    first: [count, ...tuple].join(", "),
    second: [...tuple.toReversed(), count].join(", "),
    fallBack: [...tuple.slice(3), count, ...tuple.slice(0, 3)].join(", "),
  };
}

function derouteValues(field: DerouteField, feedback: boolean) {
  const { bits, countLow, flagBit } = countField(field);
  const slice = (high: number, low: number) => `meta.selector[${high}:${low}]`;
  const read = slice(countLow + 3 < bits ? countLow + 3 : bits - 1, countLow);
  const value = { dscp: dscpValue(feedback), vlan: vlanValue(feedback) };
  const writes = {
    dscp: [
      { header: "ipv4", field: "dscp", value: value.dscp },
      { header: "ipv6", field: "dscp", value: value.dscp },
    ],
    vlan: [{ header: "vlan", field: "id", value: value.vlan }],
    ttl: [
      { header: "ipv4", field: "ttl[7:5]", value: "meta.deroutes[2:0]" },
      { header: "ipv6", field: "hop_limit[7:5]", value: "meta.deroutes[2:0]" },
    ],
  }[field];
  return {
    source: SOURCES[field],
    count: field === "ttl" ? `1w0 ++ ${read}` : read,
    bit: flagBit === undefined ? "" : slice(flagBit, flagBit),
    inVlan: field === "vlan",
    writes,
  };
}

const SOURCES: Readonly<Record<DerouteField, string>> = {
  dscp: "the upper four bits of the DSCP",
  vlan: "the lower four bits of the VLAN id",
  ttl: "the upper three bits of the TTL or hop limit",
};

/** Other bits of the field do not change. */
function dscpValue(feedback: boolean): string {
  return feedback
    ? "meta.deroutes ++ meta.derouted ++ meta.selector[0:0]"
    : "meta.deroutes ++ meta.selector[1:0]";
}

function vlanValue(feedback: boolean): string {
  return feedback
    ? "meta.selector[11:5] ++ meta.derouted ++ meta.deroutes"
    : "meta.selector[11:4] ++ meta.deroutes";
}

/** With deroutes in the upper three bits of the TTL, the lower five count hops. */
function lifetimeValues(field: DerouteField) {
  return field === "ttl"
    ? { ipv4: "hdr.ipv4.ttl[4:0]", ipv6: "hdr.ipv6.hop_limit[4:0]" }
    : { ipv4: "hdr.ipv4.ttl", ipv6: "hdr.ipv6.hop_limit" };
}
