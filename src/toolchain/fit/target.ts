/**
 * A target: what a switch chip offers, as data. Every number in a target file has its source; `null` means that no
 * source states the number, and then nothing is checked against it. p4loom comes with `data/targets/*.yaml`; users
 * can write their own file of the same shape. `null` in an optional number means "unknown", never "zero".
 */
import * as z from "zod";
import { COLUMNS, ROWS } from "./memory/blocks.js";

/** Larger numbers than any chip has; they bound the work on files that users write. */
const MAX_STAGES = 1000;
const MAX_NUMBER = 1e9;

const source = z.string().min(1);
/** A number with its source; the model only sees the number. */
const sourced = z
  .strictObject({ value: z.number().nonnegative().max(MAX_NUMBER).nullable(), source })
  .transform((entry) => entry.value);
/** A number that the model requires. */
const required = z
  .strictObject({ value: z.number().positive().max(MAX_NUMBER), source })
  .transform((entry) => entry.value);
const count = z
  .strictObject({ value: z.number().int().positive().max(MAX_NUMBER), source })
  .transform((entry) => entry.value);
const stages = z
  .strictObject({ value: z.number().int().positive().max(MAX_STAGES), source })
  .transform((entry) => entry.value);
const constant = z
  .strictObject({ value: z.number().int().nullable(), source })
  .transform((entry) => entry.value);
const flag = z.strictObject({ value: z.boolean(), source }).transform((entry) => entry.value);
const widths = z
  .strictObject({ value: z.array(z.number().int().positive()).min(1), source })
  .transform((entry) => entry.value);

const sizes = z.strictObject({
  "8": z.number().int().nonnegative(),
  "16": z.number().int().nonnegative(),
  "32": z.number().int().nonnegative(),
});
/** A number for each size of containers. */
const bySize = z.strictObject({ value: sizes, source }).transform((entry) => entry.value);

/** Containers stand in groups; an operation takes its operands and its result from one group. */
const arrangement = z.strictObject({
  /** Groups of containers of a size. */
  groups: bySize,
  /** Of each kind in a group: a mocha container is only set whole, and a dark one is unknown to parser, deparser and match, too. */
  normal: bySize,
  mocha: bySize,
  dark: bySize,
  /** Neighbours that are of one gress together, because the deparser takes them so. */
  gress_block: bySize,
  /** The last block of a size is of no one gress: each of its containers is taken alone. */
  last_block_alone: flag,
  /** The first group of each size is for ingress alone, the second one for egress alone. */
  first_groups_fixed: flag,
  /** Collections of containers that only parser and deparser see, each of one gress, and the containers of each. */
  collections: sourced,
  collection: bySize,
  /** Pieces of the packet that the hardware takes past the pipeline, of a gress and packet, the bytes of each, and the fewest bytes between two of them, where there are any; 0: none. */
  bypasses: sourced,
  bypass_bytes: sourced,
  bypass_gap: sourced.optional(),
});

/** Parsers and deparsers of the Tofino family. */
const parde = z.strictObject({
  parser: z.strictObject({
    /** Rows of the match memory of one parser. */
    rows: count,
    /** Bytes of the packet that a cycle sees, and the most that it goes on. */
    buffer_bytes: count,
    /** Extractors of a cycle by size; where a size has none, containers of that size take those of the other one. */
    extractors: bySize,
    /** Of these, those that can write a constant, and the bits from its first one to its last one. */
    constants: bySize,
    constant_bits: bySize,
    /** Bytes that a row compares, and that the registers hold. */
    match_bytes: count,
    held_bytes: count,
    checksum_units: sourced,
    /** Pieces that a state sends past the pipeline. */
    bypasses_of_state: sourced,
    /** Bytes of each packet that the egress parser reads at least. */
    min_egress_bytes: sourced,
    max_egress_bytes: sourced,
    clock_ghz: sourced,
    /** Gbit/s of the port that one parser serves. */
    port_gbps: sourced,
  }),
  deparser: z.strictObject({
    /** Entries of the dictionary of a gress: containers, or chunks of so many bytes in groups of so many. */
    entries: sourced,
    chunk_bytes: sourced,
    chunks_of_group: sourced,
    bypasses_of_group: sourced,
    validity_bits: sourced,
    checksum_units: sourced,
    /** Pieces past the pipeline of a gress; those of one packet are in `phv.arrangement`. */
    bypasses: sourced,
    /** Kinds of digests, mirrors and resubmissions, and bytes of one. */
    digests: sourced,
    digest_bytes: sourced,
    mirrors: sourced,
    mirror_bytes: sourced,
    resubmits: sourced,
    resubmit_bytes: sourced,
  }),
});

/** Cycles of a gress through all stages of the device, also those without a table. */
const pipelineCycles = z.strictObject({
  /** Of a stage that waits for the results of the stage before (a match dependency). */
  base: count,
  /** What it takes longer with tables of TCAM, selectors, filters, registers. */
  ternary: count,
  selector: count,
  filter: count,
  stateful: count,
  /** What a stage adds that only waits for the actions of the stage before, and one that waits for nothing. */
  action: count,
  concurrent: count,
  /** Before the first stage. */
  corner: sourced,
  /** Cycles of egress at least: stages wait more than they must until it has them. */
  min_egress: sourced,
  /** A stage besides the first one that always waits for the results of the stage before. */
  always_waits: sourced,
  /** A stage also waits where its tables look at mocha containers. */
  mocha_waits: flag,
});

/** The estimate of power by which the chip's compiler refuses programs. */
const power = z.strictObject({
  /** Watts of all pipes at most. */
  limit: required,
  pipes: count,
  /** Watts of a memory that is accessed for every packet of one pipe. */
  watts: z.strictObject({
    sram_read: required,
    sram_write: required,
    tcam_search: required,
    map_read: required,
    map_write: required,
    /** Cells that wait for the end of the packet. */
    waiting_read: required,
    waiting_write: required,
  }),
  /** Results of a stage switch off tables in all stages up to the next one that waits for results; else only in stages that wait. */
  forwards_results: flag,
  /** Packets that the deparser has room for, and cycles until it gives room and until a packet uses it. Absent: it does not slow the pipeline. */
  throttle: z.strictObject({ packets: count, credit: count, issue: count }).optional(),
});

/** Shape of a target file. Sizes are in the unit that the name states; "per stage" covers ingress and egress. */
export const targetSchema = z.strictObject({
  name: z.string().min(1),
  title: z.string().min(1),
  /** Which rules lay out memories and place tables: those of the Tofino family or of the RMT paper. */
  model: z.enum(["tofino", "rmt"]),
  /** The architecture of programs that are written for the chip; its macros are preset. Absent: programs for v1model alone. */
  architecture: z.enum(["tna", "t2na"]).optional(),
  stages,
  /** Ingress and egress tables compete for the same stages. */
  gresses_share_stages: flag,
  sram: z
    .strictObject({
      blocks: count,
      /** Words of a block. */
      depth: count,
      /** Bits of a word. */
      width: count,
      /** Bits of a word that hold match data, where that is less than the word. */
      match_width: sourced,
      map_rams: sourced,
      /** The blocks stand in the rows and columns of a Tofino, with its buses and ALUs (memory/array.ts); else they are counted alone. */
      tofino_array: flag,
    })
    .refine(({ blocks, tofino_array: isArray }) => !isArray || blocks === ROWS * COLUMNS, {
      message: `must be false where sram.blocks is not ${ROWS * COLUMNS}, since the array has ${ROWS} rows of ${COLUMNS}`,
      path: ["tofino_array", "value"],
    }),
  tcam: z.strictObject({
    blocks: count,
    /** Rows of a block. */
    depth: count,
    /** Bits of a row. */
    width: count,
    columns: sourced,
    /** Bits of a row that do not hold the key. */
    overhead_bits: sourced,
    /** The smallest indirection entry in SRAM; larger ones are powers of two. */
    min_indirection_bits: sourced,
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
    /** Rows of instructions; with `instruction_colours` each holds so many, else one. */
    vliw_slots: sourced,
    instruction_colours: sourced,
    /** The first byte of a group of the exact crossbar that an ALU of a memory takes. */
    alu_crossbar_byte: sourced,
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
    /** Depth of a table, in blocks, up to which its hash ways grow. */
    max_way_blocks: sourced,
    /** Key bits beyond the line address up to which the key itself is the address. */
    max_identity_bits: sourced,
    /** Maximum number of blocks that the greedy placement of the RMT paper packs together. */
    packing_blocks: sourced,
    /** Crossbar bits that the greedy placement of the RMT paper hands out at once. */
    crossbar_unit_bits: sourced,
  }),
  action: z.strictObject({
    immediate_bits: sourced,
    /** Constants in this range are part of the instruction; others become action data. */
    min_constant: constant,
    max_constant: constant,
    /** Widest addition or subtraction. */
    max_arithmetic_bits: sourced,
    /** Actions that an entry selects through a map; beyond that it holds the instruction's address. */
    map_entries: sourced,
    address_bits: sourced,
    /** An action can use the result of a comparison as a value. */
    compares: flag,
    /** SRAM blocks of a stage kept for action data of ternary tables (RMT greedy placement). */
    reserved_ternary_blocks: sourced,
  }),
  flow: z.strictObject({
    /** Results of tables that may reach beyond the next table at a time; 0: a table leads to the next one alone. */
    long_branches: sourced,
  }),
  gateway: z.strictObject({
    bytes: sourced,
    hash_bits: sourced,
    rows: sourced,
    /** Entries of a table that a gateway can hold in place of memory, each with its action. */
    entries: sourced,
  }),
  range: z.strictObject({ max_bits: sourced, worst_case_share: sourced, max_rows: sourced }),
  stateful: z.strictObject({
    /** Register cell widths in bits. */
    widths,
    /** Widest cell that can be read and updated. */
    max_update_bits: sourced,
    /** Comparisons of one update. */
    comparators: sourced,
    /** Values that one update can compute for the cell, the unchanged value included. */
    max_results: sourced,
    /** Packet fields that one update can use. */
    max_operands: sourced,
    /** Bits of an operand that words of any width take. */
    min_operand_bits: sourced,
    /** Widest entry of one word that leaves the second ALU to a result. */
    computed_result_bits: sourced,
    /** Constants that an instruction holds; others take rows, which the methods of a register share. */
    min_constant: constant,
    max_constant: constant,
    constant_rows: sourced,
    /** Bits, with the sign, of a constant in a comparison by order of numbers without sign. */
    ordered_constant_bits: sourced,
    /** SRAM blocks, with the spare, of one register. */
    max_blocks: sourced,
    /** A register that exceeds `max_blocks` can continue in the next stages. */
    spans_stages: flag,
    /** SRAM blocks of one counter or meter before it takes a second spare. */
    max_statistics_blocks: sourced,
    /** Cells of counters of 64 bits and of meters in a word; below 1 where a cell takes several words. */
    counters_per_word: required,
    packet_byte_counters_per_word: required,
    /** Counters of so many bits or fewer: a word holds twice as many. Of packets and bytes, the bits of the byte count. */
    narrow_counter_bits: sourced,
    narrow_packet_byte_counter_bits: sourced,
    meters_per_word: required,
    meter_colours_per_word: sourced,
    idle_entries_per_word: sourced,
  }),
  hash: z.strictObject({
    /** Bits of one hash distribution unit. */
    distribution_bits: sourced,
    /** Hash bits that form the address of a counter, meter or register. */
    address_bits: sourced,
  }),
  selector: z.strictObject({
    /** Members of a group in one word; larger groups take several words. */
    members_per_word: sourced,
    /** Groups of a selector whose number of groups the program does not state. */
    default_groups: sourced,
    hash_bits: sourced,
    /** Bits of the hash of a selector whose groups keep their packets when a member fails. */
    resilient_hash_bits: sourced,
  }),
  /** `@alpm(1)`: partitions, and TCAM rows that lead to one; null: the target does not have it. */
  algorithmic_lpm: z.strictObject({ partitions: sourced, rows_per_partition: sourced }),
  parser: z.strictObject({
    /** Longest chain of headers of the egress parser, with the bytes before them. */
    egress_depth_bytes: sourced,
    egress_intrinsic_bytes: sourced,
  }),
  phv: z.strictObject({
    containers: z.strictObject({ "8": count, "16": count, "32": count }),
    /** Containers that only parser and deparser see. */
    tagalong: z.strictObject({ "8": sourced, "16": sourced, "32": sourced }),
    /** Two fields of one header may share a container, and one field several. */
    packs_fields: flag,
    /** Values for the deparser (port, multicast group, digest, ...) have a validity bit each, in one container. */
    deparser_validity_shared: flag,
    /** How the containers are arranged; without it, no field is given a container. */
    arrangement: arrangement.optional(),
  }),
  /** Absent: parsers and deparsers are not counted. */
  parde: parde.optional(),
  /** Absent: no cycles of a gress. */
  pipeline_cycles: pipelineCycles.optional(),
  /** Absent: no estimate of power. */
  power: power.optional(),
  latency: z.strictObject({
    match_cycles: sourced,
    action_cycles: sourced,
    successor_cycles: sourced,
  }),
});

export type Target = z.output<typeof targetSchema>;
