/**
 * A target: what a switch chip offers, as data. Every number is written in its file with the source that it comes
 * from; `null` means that no source says, and then nothing is checked against it. `data/targets/*.yaml` are the
 * ones that come with p4loom; a user's own file has the same shape.
 */
import * as z from "zod";
import { fail, type Locate, type Span } from "../base/index.js";

/** A number with its source; the model only sees the number. */
const sourced = z
  .strictObject({ value: z.number().nonnegative().nullable(), source: z.string().min(1) })
  .transform((entry) => entry.value);
/** A number that the model cannot do without. */
const required = z
  .strictObject({ value: z.number().positive(), source: z.string().min(1) })
  .transform((entry) => entry.value);
const flag = z
  .strictObject({ value: z.boolean(), source: z.string().min(1) })
  .transform((entry) => entry.value);
const widths = z
  .strictObject({ value: z.array(z.number().int().positive()).min(1), source: z.string().min(1) })
  .transform((entry) => entry.value);

export const targetSchema = z.strictObject({
  name: z.string().min(1),
  title: z.string().min(1),
  /** Which rules lay out memories and place tables: those of the Tofino family or of the RMT paper. */
  model: z.enum(["tofino", "rmt"]),
  stages: required,
  /** Ingress and egress tables compete for the same stages. */
  gresses_share_stages: flag,
  sram: z.strictObject({
    blocks: required,
    depth: required,
    width: required,
    /** Bits of a word that hold match data, where that is less than the word. */
    match_width: sourced,
    map_rams: sourced,
  }),
  tcam: z.strictObject({
    blocks: required,
    depth: required,
    width: required,
    columns: sourced,
    /** Bits a row that are not for the key. */
    overhead_bits: sourced,
  }),
  per_stage: z.strictObject({
    logical_tables: sourced,
    exact_tables: sourced,
    ternary_tables: sourced,
    gateways: sourced,
    exact_crossbar_bytes: sourced,
    ternary_crossbar_bytes: sourced,
    hash_groups: sourced,
    hash_group_bits: sourced,
    hash_distribution_units: sourced,
    action_bus_bytes: sourced,
    vliw_slots: sourced,
    stats_alus: sourced,
    meter_alus: sourced,
  }),
  exact: z.strictObject({
    min_ways: sourced,
    ghost_bits: sourced,
    version_bits: sourced,
    max_pack: sourced,
    max_width: sourced,
    overhead_bits_per_word: sourced,
    entries_per_word: sourced,
    /** Blocks that greedy placement of the RMT paper packs together at most. */
    packing_blocks: sourced,
  }),
  action: z.strictObject({
    immediate_bits: sourced,
    /** Constants in this range are part of the instruction; others become action data. */
    min_constant: z.strictObject({ value: z.number(), source: z.string() }).transform((e) => e.value),
    max_constant: sourced,
    /** An action can use the outcome of a comparison as a value. */
    compares: flag,
    /** SRAM blocks of a stage kept for action data of ternary tables (RMT greedy placement). */
    reserved_ternary_blocks: sourced,
  }),
  gateway: z.strictObject({ bytes: sourced, hash_bits: sourced, rows: sourced }),
  range: z.strictObject({ max_bits: sourced, worst_case_share: sourced, max_rows: sourced }),
  stateful: z.strictObject({
    /** Register cell widths in bits. */
    widths,
    /** Widest cell that can be read and updated. */
    max_update_bits: sourced,
    /** SRAM blocks, with the spare, of one register. */
    max_blocks: sourced,
    spans_stages: flag,
    /** SRAM blocks of one counter or meter before it takes a second spare. */
    max_statistics_blocks: sourced,
  }),
  parser: z.strictObject({
    /** Longest chain of headers of the egress parser, with the bytes in front of them. */
    egress_depth_bytes: sourced,
    egress_intrinsic_bytes: sourced,
  }),
  phv: z.strictObject({
    containers: z.strictObject({ "8": required, "16": required, "32": required }),
    /** Containers that only parser and deparser see. */
    tagalong: z.strictObject({ "8": sourced, "16": sourced, "32": sourced }),
    /** Two fields of one header may share a container, and one field several. */
    packs_fields: flag,
    /** Values for the deparser (port, multicast group, digest, ...) have a validity bit each, in one container. */
    deparser_validity_shared: flag,
  }),
  latency: z.strictObject({
    match_cycles: sourced,
    action_cycles: sourced,
    successor_cycles: sourced,
  }),
});

export type Target = z.output<typeof targetSchema>;

/**
 * Checks the contents of a target file. Fails with P44001, one note a further mistake.
 * `locate` finds the place of a value in the file, where the caller can.
 */
export function parseTarget(document: unknown, locate?: Locate): Target {
  const result = targetSchema.safeParse(document);
  if (result.success) return result.data;
  const [first, ...others] = result.error.issues;
  const say = (issue: z.core.$ZodIssue) => `${issue.path.join(".") || "target"}: ${issue.message}`;
  const spanOf = (issue: z.core.$ZodIssue): Span | undefined => locate?.(issue.path);
  fail(
    "P44001",
    first === undefined ? undefined : spanOf(first),
    `not a target description: ${first === undefined ? "empty" : say(first)}`,
    ...others.slice(0, 9).map((issue) => {
      const span = spanOf(issue);
      return span === undefined ? { message: say(issue) } : { message: say(issue), span };
    }),
  );
}
