/**
 * The BMv2 JSON program format, version 2.x, as types. Source: the "BMv2 JSON input format" document of
 * the behavioral model, and what p4c writes where that document is silent (test/golden).
 * Field order in these interfaces is the order in which the members are written.
 */

export interface Bmv2Program {
  header_types: HeaderType[];
  headers: HeaderInstance[];
  header_stacks: HeaderStack[];
  header_union_types: HeaderUnionType[];
  header_unions: HeaderUnion[];
  header_union_stacks: HeaderUnionStack[];
  field_lists: FieldList[];
  errors: [name: string, value: number][];
  enums: { name: string; entries: [name: string, value: number][] }[];
  parsers: Bmv2Parser[];
  parse_vsets: ParseValueSet[];
  deparsers: Bmv2Deparser[];
  meter_arrays: MeterArray[];
  counter_arrays: CounterArray[];
  register_arrays: RegisterArray[];
  calculations: Calculation[];
  learn_lists: LearnList[];
  actions: Bmv2Action[];
  pipelines: Pipeline[];
  checksums: Checksum[];
  force_arith: FieldRef[];
  extern_instances: ExternInstance[];
  field_aliases: [alias: string, field: FieldRef][];
  program?: string;
  /** What is not v1model. Our own switch reads it, from P4Runtime too; no compiler writes it into a file. */
  architecture?: ArchitectureInfo;
  /** Of a program for PSA or PNA, in the form that our own switch runs (`runnableForm`); no file has it. */
  portable?: PortableInfo;
  __meta__?: { version: [number, number]; compiler?: string };
}

/** Which parsers, pipelines and deparsers of the program one packet passes through in a Tofino. */
export interface ArchitectureInfo {
  name: "tna" | "t2na";
  /** In the order of the arguments of `Switch`. */
  pipes: PipeInfo[];
  /** Only in the form that `fit` reads. */
  pragmas?: PhvPragma[];
  /** By type of header, the fields that the program marks with `@padding`. */
  paddings?: Record<string, string[]>;
  /** So are these: the methods of the register actions that the program calls. */
  methods?: AluMethod[];
}

/**
 * The method of one register action, as the program states it: statements over the words of an entry, results, values of the packet and
 * numbers. Only the form that `fit` reads has it.
 */
export interface AluMethod {
  /** The register, by its name in `register_arrays`. */
  register: string;
  /** The register action, by its control-plane name. */
  action: string;
  /** Bits of a word of the register's entries, 1 or 2 words an entry. */
  width: number;
  words: number;
  /** The action sees the same words as the register. */
  sameWords: boolean;
  body: AluStatement[];
  source_info?: SourceInfo;
}

export type AluStatement = { source_info?: SourceInfo } & (
  | { kind: "assign"; left: AluExpr; right: AluExpr }
  | { kind: "if"; condition: AluExpr; yes: AluStatement[]; no: AluStatement[] }
  /** A method or function, such as that of a math unit: by its name, without the instance. */
  | { kind: "call"; name: string; instance: string; result: AluExpr | undefined; args: AluExpr[] }
  /** What has no form here. */
  | { kind: "other" }
);

/** Width in bits; 1 for a truth value. */
export type AluExpr = { width: number; type: "bits" | "int" | "bool" | "other"; source_info?: SourceInfo } & (
  | { kind: "number"; value: bigint }
  /** A word of the entry; null: both words of a pair. */
  | { kind: "cell"; word: 0 | 1 | null }
  | { kind: "result"; index: number }
  /** A variable of the method, or a word of one that is a pair. */
  | { kind: "local"; name: string; word: 0 | 1 | null }
  /** A value of the packet or of the action around; equal texts are equal values. */
  | { kind: "packet"; text: string }
  | { kind: "slice"; operand: AluExpr; low: number }
  | { kind: "unary"; op: string; operand: AluExpr }
  | { kind: "binary"; op: string; left: AluExpr; right: AluExpr }
  | { kind: "choice"; condition: AluExpr; yes: AluExpr; no: AluExpr }
  | { kind: "cast"; operand: AluExpr }
  | { kind: "other" }
);

/** A pragma of containers, for `fit`; `args` are its arguments without quotes. */
export interface PhvPragma {
  name: string;
  args: string[];
  source_info?: SourceInfo;
}

export interface PipeInfo {
  name: string;
  ingress: GressInfo;
  egress: GressInfo;
  /** Runs beside the packets, when the length of a queue changes (Tofino 2). */
  ghost?: GhostInfo;
}

export interface GhostInfo {
  pipeline: number;
  /** Fields of `ghost_intrinsic_metadata_t`. */
  fields: Record<string, FieldRef>;
}

/** What a packet passes through, in order. */
export interface PortableInfo {
  name: "psa" | "pna";
  stages: StageInfo[];
}

/** Positions in the lists of the program. */
export interface StageInfo {
  /** One, or one for each group of ports. */
  parsers: number[];
  pipeline: number;
  deparser: number;
}

export interface GressInfo extends StageInfo {
  /** The registers with the metadata of ports that the parsers unpack, in their order. */
  portMetadata?: (string | undefined)[];
  /** The parser leaves the metadata in front of the packet alone: they are taken off before it. */
  skipsIntrinsic: boolean;
  /** The control reads `parser_err`, so that it gets packets with an error. */
  seesErrors: boolean;
  /** `BLOCK.FIELD` of the intrinsic metadata that the program names, as `tm.ucast_egress_port`. */
  fields: Record<string, FieldRef>;
}

/** Line and column as p4c counts them: line from 1, column from 0. */
export interface SourceInfo {
  filename: string;
  line: number;
  column: number;
  source_fragment: string;
}

/** `[header instance, field]`; the field `$valid$` is the header's validity. */
export type FieldRef = [header: string, field: string];

export interface HeaderType {
  name: string;
  id: number;
  /** `[name, width in bits, signed]`; the width of a varbit field is `"*"`. */
  fields: [name: string, width: number | "*", signed?: boolean][];
  /** Largest size in bytes of a header with a varbit field. */
  max_length?: number;
}

export interface HeaderInstance {
  name: string;
  id: number;
  header_type: string;
  metadata: boolean;
  pi_omit?: boolean;
}

export interface HeaderStack {
  name: string;
  id: number;
  size?: number;
  header_type: string;
  header_ids: number[];
}

export interface HeaderUnionType {
  name: string;
  id: number;
  headers: [member: string, headerType: string][];
}

export interface HeaderUnion {
  name: string;
  id: number;
  union_type: string;
  header_ids: number[];
  pi_omit?: boolean;
}

export interface HeaderUnionStack {
  name: string;
  id: number;
  size?: number;
  union_type: string;
  header_union_ids: number[];
}

export interface FieldList {
  id: number;
  name: string;
  source_info?: SourceInfo;
  elements: Value[];
}

/** A "type value object". */
export type Value =
  | { type: "field"; value: FieldRef }
  | { type: "hexstr"; value: string }
  | { type: "bool"; value: boolean }
  | { type: "string"; value: string }
  | { type: "header"; value: string }
  | { type: "header_stack"; value: string }
  | { type: "header_union"; value: string }
  | { type: "header_union_stack"; value: string }
  | { type: "stack_field"; value: FieldRef }
  | { type: "union_stack_field"; value: [stack: string, member: string, field: string] }
  | { type: "calculation"; value: string }
  | { type: "counter_array"; value: string }
  | { type: "meter_array"; value: string }
  | { type: "register_array"; value: string }
  | { type: "extern"; value: string }
  | { type: "field_list"; value: CalculationInput[] }
  | { type: "register"; value: [array: string, index: Value] }
  | { type: "lookahead"; value: [bitOffset: number, bitWidth: number] }
  /** Index of an action's runtime parameter, as an operand of a primitive. */
  | { type: "runtime_data"; value: number }
  /** The same inside an expression. */
  | { type: "local"; value: number }
  | { type: "parameters_vector"; value: Value[] }
  | { type: "expression"; value: Expression | Value };

export type BinaryOp =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "<<"
  | ">>"
  | "&"
  | "|"
  | "^"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "and"
  | "or"
  | "two_comp_mod"
  | "sat_cast"
  | "usat_cast"
  | "dereference_header_stack"
  | "dereference_union_stack"
  | "access_field"
  | "access_union_header";
export type UnaryOp =
  | "-"
  | "+"
  | "~"
  | "not"
  | "d2b"
  | "b2d"
  | "valid"
  | "valid_union"
  | "last_stack_index"
  | "size_stack";

/** An operation; `left` is null for a unary one, whose operand is `right`. */
export interface Expression {
  op: BinaryOp | UnaryOp | "?";
  cond?: Value;
  left: Value | null;
  right: Value | number;
}

export interface Bmv2Parser {
  name: string;
  id: number;
  init_state: string;
  parse_states: ParseState[];
}

export interface ParseState {
  name: string;
  id: number;
  parser_ops: ParserOp[];
  transitions: Transition[];
  transition_key: Value[];
}

export type ParserOp =
  | { op: "extract"; parameters: [ExtractTarget] }
  | { op: "extract_VL"; parameters: [ExtractTarget, Value] }
  | { op: "set"; parameters: [Value, Value] }
  | { op: "verify"; parameters: [Value, Value] }
  | { op: "advance"; parameters: [Value] }
  | { op: "shift"; parameters: [Value] }
  | { op: "primitive"; parameters: [{ op: string; parameters: Value[]; source_info?: SourceInfo }] };

export type ExtractTarget =
  | { type: "regular"; value: string }
  | { type: "stack"; value: string }
  | { type: "union_stack"; value: [stack: string, member: string] };

export interface Transition {
  type: "default" | "hexstr" | "parse_vset";
  /** Each part of the key padded with zero bits to whole bytes, then joined. */
  value: string | null;
  mask: string | null;
  next_state: string | null;
}

export interface ParseValueSet {
  name: string;
  id: number;
  source_info?: SourceInfo;
  compressed_bitwidth: number;
  max_size?: number;
}

export interface Bmv2Deparser {
  name: string;
  id: number;
  source_info?: SourceInfo;
  order: string[];
  primitives?: Primitive[];
}

export interface MeterArray {
  name: string;
  id: number;
  source_info?: SourceInfo;
  is_direct: boolean;
  size?: number;
  rate_count: number;
  type: "bytes" | "packets";
  binding?: string;
  result_target?: FieldRef;
}

export interface CounterArray {
  name: string;
  id: number;
  source_info?: SourceInfo;
  is_direct: boolean;
  size?: number;
  binding?: string;
  /** Bits of a cell, where the program states them (TNA's type, v1model's `@min_width`); BMv2 counts 64 bits and reads no such key. */
  bitwidth?: number;
}

export interface RegisterArray {
  name: string;
  id: number;
  source_info?: SourceInfo;
  size: number;
  bitwidth: number;
  /** Values that a cell has beside each other, if not 1; no file has it. */
  words?: number;
  /** What each cell holds at first, if not 0; no file has it. */
  initial?: string;
}

export interface Calculation {
  name: string;
  id: number;
  source_info?: SourceInfo;
  algo: string;
  input: CalculationInput[];
}

export type CalculationInput = (Value | { type: "payload"; value?: null }) & { bitwidth?: number };

/** An object of psa_switch or pna_nic, with the attributes that its type reads. */
export interface ExternInstance {
  name: string;
  id: number;
  type: string;
  source_info?: SourceInfo;
  attribute_values?: ExternAttribute[];
}

export interface ExternAttribute {
  name: string;
  type: "hexstr" | "string";
  /** p4c writes some numbers as such. */
  value: string | number;
}

export interface LearnList {
  id: number;
  name: string;
  source_info?: SourceInfo;
  elements: Value[];
}

export interface Bmv2Action {
  name: string;
  id: number;
  runtime_data: { name: string; bitwidth: number }[];
  primitives: Primitive[];
}

export interface Primitive {
  op: string;
  parameters: Value[];
  /** Of p4loom, for a chip: the hash unit computes the value that is assigned. */
  in_hash?: true;
  source_info?: SourceInfo;
}

export interface Pipeline {
  /** `ingress` or `egress`; in a program for another architecture any name. */
  name: string;
  id: number;
  source_info?: SourceInfo;
  init_table: string | null;
  tables: Bmv2Table[];
  action_profiles: ActionProfile[];
  conditionals: Conditional[];
}

export type MatchKind = "exact" | "lpm" | "ternary" | "range" | "optional" | "valid";

export interface TableKey {
  match_type: MatchKind;
  name?: string;
  target: FieldRef | string;
  mask: string | null;
}

export interface Bmv2Table {
  name: string;
  id: number;
  source_info?: SourceInfo;
  key: TableKey[];
  match_type: Exclude<MatchKind, "optional" | "valid"> | "valid";
  type: "simple" | "indirect" | "indirect_ws";
  action_profile?: string;
  max_size: number;
  with_counters: boolean;
  support_timeout: boolean;
  direct_meters: string | null;
  action_ids: number[];
  actions: string[];
  /** Next node when the action says nothing; null ends the pipeline. */
  base_default_next?: string | null;
  /** By action name, or by `__HIT__` and `__MISS__`. */
  next_tables: Record<string, string | null>;
  default_entry?: {
    action_id: number;
    action_const: boolean;
    action_data: string[];
    action_entry_const: boolean;
  };
  entries?: ConstEntry[];
  /** Takes the number of the entry that is hit, all ones without one; no file has it. */
  entry_target?: FieldRef;
  /** Annotations of the blocks of statements around it, those of inner blocks first; no file has it. */
  pragmas?: string[];
  /** Entries with an idle timeout are deleted at their time, which a hit alone does not restart; no file has it. */
  expires?: true;
}

export interface ConstEntry {
  source_info?: SourceInfo;
  match_key: EntryKey[];
  action_entry: { action_id: number; action_data: string[] };
  /** The smaller number wins. */
  priority: number;
}

export type EntryKey =
  | { match_type: "exact"; key: string }
  | { match_type: "lpm"; key: string; prefix_length: number }
  | { match_type: "ternary" | "optional"; key: string; mask: string }
  | { match_type: "range"; start: string; end: string };

export interface ActionProfile {
  name: string;
  id: number;
  source_info?: SourceInfo;
  max_size: number;
  selector?: { algo: string; input: Value[] };
}

export interface Conditional {
  name: string;
  id: number;
  source_info?: SourceInfo;
  expression: Value;
  true_next: string | null;
  false_next: string | null;
}

export interface Checksum {
  name: string;
  id: number;
  source_info?: SourceInfo;
  target: FieldRef;
  type: "generic";
  calculation: string;
  verify: boolean;
  update: boolean;
  if_cond: Value | null;
}
