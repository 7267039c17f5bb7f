/**
 * The programs that can be generated: the parameters of each template, checked, and the P4 expressions that
 * follow from them.
 */
import { z } from "zod";
import { fail } from "../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS, type SelectorField } from "../hosts/index.js";
import type { TemplateSet } from "./templates.js";

/**
 * Bits of the selector that one switch reads: `width` bits from bit `low`, and optionally a version bit. The
 * program combines them into 16 bits, with the version bit as the highest.
 */
const sliceSchema = z.strictObject({
  low: z.number().int().min(0),
  width: z.number().int().min(0).max(15),
  version: z.number().int().min(0).optional(),
});

const hashSchema = z.strictObject({
  /** Hash of the action selector. */
  algorithm: z.enum(["crc16", "crc32"]),
  /** `reversed` feeds the tuple's fields last to first: another function of the same tuple. */
  order: z.enum(["forward", "reversed"]),
});

const sizesSchema = z.strictObject({
  /** Entries of each of the two route tables. */
  routes: z.number().int().min(1),
  /** Entries of the table of groups: one for each row of each control matrix. */
  groups: z.number().int().min(1),
  /** Members of the action selector. */
  members: z.number().int().min(1),
});

/** What every template understands. */
const shared = {
  /** Adds the table of faults: entries that make the switch lose packets in silence, see {@link withFaultTable}. */
  faults: z.boolean().optional(),
};

const pecmpSchema = z.strictObject({
  ...shared,
  field: z.enum(SELECTOR_FIELDS),
  /** Bits read on the way up; not for spines. */
  up: sliceSchema.optional(),
  /** Bits read on the way down; not for ToRs. */
  down: sliceSchema.optional(),
  hash: hashSchema,
  sizes: sizesSchema.extend({ selectorRows: z.number().int().min(1) }),
});

const ecmpSchema = z.strictObject({
  ...shared,
  role: z.enum(["tor", "leaf", "spine", "fabric"]),
  /** Field that is part of the hash input; absent: the five-tuple only. */
  hashedField: z.enum(SELECTOR_FIELDS).optional(),
  hash: hashSchema,
  sizes: sizesSchema,
});

export type SelectorSlice = z.output<typeof sliceSchema>;
export type HashChoice = z.output<typeof hashSchema>;
export type PecmpProgram = z.output<typeof pecmpSchema>;
export type EcmpProgram = z.output<typeof ecmpSchema>;

/** One P4 program to render. */
export type ProgramPlan = {
  /** Unique among the programs of a fabric, for example `tor`; the file is `NAME.p4`. */
  readonly name: string;
} & (
  | { readonly template: "pecmp/tor" | "pecmp/leaf" | "pecmp/spine"; readonly values: PecmpProgram }
  | { readonly template: "ecmp/switch"; readonly values: EcmpProgram }
);

/** Entries of a fault table: both directions of every port of a large switch, and the switch itself. */
const FAULT_ENTRIES = 1024;

/**
 * The same program with the table `FabricEgress.faults`: ternary on `standard_metadata.ingress_port` and
 * `standard_metadata.egress_port`, action `FabricEgress.lose`. Its entries are faults without a signal: packets that
 * arrived at a port, or that would leave by a port, are dropped as the last action of the switch; no counter counts them.
 */
export function withFaultTable(program: ProgramPlan): ProgramPlan {
  return program.template === "ecmp/switch"
    ? { ...program, values: { ...program.values, faults: true } }
    : { ...program, values: { ...program.values, faults: true } };
}

export interface GeneratedFile {
  readonly file: string;
  readonly text: string;
}

/**
 * P4 source of one program. Throws DiagnosticError: P42004 when the values do not have the template's shape,
 * P42005 when a slice lies outside the selector's field, and what {@link TemplateSet.render} throws.
 */
export function renderProgram(templates: TemplateSet, program: ProgramPlan): string {
  switch (program.template) {
    case "ecmp/switch":
      return templates.render(program.template, ecmpContext(check(program, ecmpSchema)));
    default:
      return templates.render(program.template, pecmpContext(check(program, pecmpSchema)));
  }
}

/** All programs of a fabric as files. */
export function renderPrograms(templates: TemplateSet, programs: readonly ProgramPlan[]): GeneratedFile[] {
  return programs.map((program) => ({ file: `${program.name}.p4`, text: renderProgram(templates, program) }));
}

function check<T>(program: ProgramPlan, schema: z.ZodType<T>): T {
  const result = schema.safeParse(program.values);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  fail("P42004", undefined, `wrong values for template "${program.template}"`, ...problems);
}

const FIVE_TUPLE = ["flow_src", "flow_dst", "flow_protocol", "flow_src_port", "flow_dst_port"];

/**
 * Fields in the order in which they are hashed. An extra field is near the front, because the last bits of a
 * CRC's input affect only some bits of its result. Its distance from the end differs between the two orders, because for
 * inputs of one length a CRC depends on a field's position only by this distance.
 */
function hashContext({ algorithm, order }: HashChoice, extra: readonly string[]) {
  const fields =
    order === "forward"
      ? [...extra, ...FIVE_TUPLE, "hash_seed"]
      : ["hash_seed", ...extra, ...FIVE_TUPLE.toReversed()];
  return { algorithm, fields };
}

function faultContext(wanted: boolean | undefined) {
  return { table: wanted === true, entries: FAULT_ENTRIES };
}

/** How the parser fills `meta.selector`. An IPv4 packet has no flow label: it leaves those bits 0. */
function selectorContext(field: SelectorField) {
  const reads: Record<SelectorField, { source: string; fromIpv4: string; fromIpv6: string }> = {
    dscp: { source: "the DSCP", fromIpv4: "hdr.ipv4.dscp", fromIpv6: "hdr.ipv6.dscp" },
    vlan: { source: "the VLAN id", fromIpv4: "", fromIpv6: "" },
    flow_label: { source: "the IPv6 flow label", fromIpv4: "", fromIpv6: "hdr.ipv6.flow_label" },
    dscp_flow_label: {
      source: "the IPv6 flow label and the DSCP",
      fromIpv4: "(bit<26>)hdr.ipv4.dscp",
      fromIpv6: "hdr.ipv6.flow_label ++ hdr.ipv6.dscp",
    },
  };
  return { ...reads[field], fromVlan: field === "vlan", fieldBits: FIELD_BITS[field] };
}

const NO_SELECTOR = { fromVlan: false, fromIpv4: "", fromIpv6: "" };

function pecmpContext(program: PecmpProgram) {
  const slice = (part: SelectorSlice | undefined) =>
    part === undefined ? "" : sliceExpression(program.field, part);
  const { up, down } = program;
  return {
    routeActions: ["to_port", ...(up ? ["to_uplinks"] : []), ...(down ? ["to_downlinks"] : [])],
    selector: {
      ...selectorContext(program.field),
      upSlice: slice(up),
      downSlice: slice(down),
      version: (up ?? down)?.version !== undefined,
    },
    hash: hashContext(program.hash, []),
    sizes: program.sizes,
    faults: faultContext(program.faults),
  };
}

function ecmpContext(program: EcmpProgram) {
  const field = program.hashedField;
  return {
    role: program.role,
    routeActions: ["to_port", "to_group"],
    selector:
      field === undefined
        ? { ...NO_SELECTOR, hashed: false, source: "", fieldBits: 0 }
        : { ...selectorContext(field), hashed: true },
    hash: hashContext(program.hash, field === undefined ? [] : ["selector"]),
    sizes: program.sizes,
    faults: faultContext(program.faults),
  };
}

/** The bits as a `bit<16>`, with the version bit as the highest; a slice without bits is 0. */
function sliceExpression(field: SelectorField, { low, width, version }: SelectorSlice): string {
  const highest = Math.max(low + width - 1, version ?? 0);
  if (highest >= FIELD_BITS[field]) {
    fail(
      "P42005",
      undefined,
      `selector bit ${highest} lies outside ${field}, which has ${FIELD_BITS[field]} bits`,
    );
  }
  if (width === 0) return "0";
  const value = `meta.selector[${low + width - 1}:${low}]`;
  return version === undefined
    ? `(bit<16>)${value}`
    : `meta.selector[${version}:${version}] ++ (bit<15>)${value}`;
}
