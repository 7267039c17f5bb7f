/**
 * The annotations and pragmas that p4c's Tofino back end reads (`bf-p4c/common/pragma`, `phv/pragma`), as data: where each may
 * stand, how many arguments it takes, what it means. The back end passes over one that stands elsewhere.
 */

/** What an annotation stands on. */
export type AnnotationPlace =
  | "table"
  | "key"
  | "action"
  | "actionName"
  | "state"
  | "type"
  | "field"
  | "instance"
  | "block"
  | "parameter"
  | "control"
  | "other";

export const PLACE_NAMES: Readonly<Record<AnnotationPlace, string>> = {
  table: "a table",
  key: "a key field",
  action: "an action",
  actionName: "an action in a table's list",
  state: "a parser state",
  type: "a header or struct type",
  field: "a field",
  instance: "an instance",
  block: "a block of statements",
  parameter: "a parameter",
  control: "a parser or control",
  other: "this declaration",
};

export interface TofinoAnnotation {
  readonly name: string;
  /** Undefined: of the whole program, so it may stand anywhere. */
  readonly places: readonly AnnotationPlace[] | undefined;
  /** The fewest and the most arguments. */
  readonly least: number;
  readonly most: number;
  /** Its arguments, as in `gress, field, size`. */
  readonly form: string;
  readonly about: string;
  /** Read by the back end, but for programs in P4-14 only. */
  readonly ignored?: true;
}

type Row = readonly [name: string, least: number, most: number, form: string, about: string];

const MANY = 64;

function rows(places: readonly AnnotationPlace[] | undefined, list: readonly Row[]): TofinoAnnotation[] {
  return list.map(([name, least, most, form, about]) => ({ name, places, least, most, form, about }));
}

const TABLE: readonly Row[] = [
  ["alpm", 1, 1, "0 or 1", "The table is an algorithmic longest prefix match."],
  ["alpm_partitions", 1, 1, "number", "How many partitions the algorithmic LPM has."],
  [
    "alpm_subtrees_per_partition",
    1,
    1,
    "number",
    "How many subtrees a partition of the algorithmic LPM holds.",
  ],
  [
    "alpm_atcam_exclude_field_msbs",
    1,
    2,
    "field, bits",
    "The upper bits of a field are no part of the algorithmic TCAM's key.",
  ],
  ["atcam_number_partitions", 1, 1, "number", "How many partitions the algorithmic TCAM has."],
  ["atcam_partition_index", 1, 1, "field", "The field that chooses the partition of the algorithmic TCAM."],
  ["disable_atomic_modify", 1, 1, "0 or 1", "No spare entry is kept to change entries atomically."],
  ["dynamic_table_key_masks", 1, 1, "0 or 1", "The control plane may set masks of the exact key."],
  ["entries_with_ranges", 1, 1, "number", "How many entries have ranges, which take several rows each."],
  ["force_immediate", 1, 1, "0 or 1", "All action data must stand beside the match."],
  ["immediate", 1, 1, "0 or 1", "Action data may stand beside the match, or must not."],
  ["idletime_interval", 1, 1, "0 to 12", "How often idle entries are looked for."],
  ["idletime_per_flow_idletime", 1, 1, "0 or 1", "Each entry has an idle time of its own."],
  ["idletime_precision", 1, 1, "1, 2, 3 or 6", "Bits of idle time an entry."],
  [
    "idletime_two_way_notification",
    1,
    1,
    "0 or 1",
    "The control plane also learns of entries that are used again.",
  ],
  ["ignore_table_dependency", 1, 1, "table", "The table may share a stage with one that it depends on."],
  ["max_actions", 1, 1, "number", "Room for this many actions is kept."],
  ["no_field_initialization", 0, 0, "", "No initialisation of fields is added to the table's actions."],
  ["no_gateway_conversion", 0, 0, "", "The table is not turned into a condition."],
  ["no_versioning", 1, 1, "0 or 1", "Entries have no version and valid bits."],
  ["pack", 1, 1, "1 to 9", "Entries in a row of the exact match."],
  ["phase0", 0, 1, "0 or 1", "The table is, or is not, the port metadata before the parser."],
  ["placement_priority", 1, MANY, "number", "Tables of higher priority are placed first."],
  ["proxy_hash_algorithm", 1, 1, "algorithm", "The hash that stands for the key."],
  ["proxy_hash_width", 1, 1, "bits", "The width of a hash that stands for the key."],
  ["random_seed", 1, 1, "number", "The seed of the exact match's hash functions."],
  ["separate_gateway", 0, 0, "", "The table is in a later stage than its condition."],
  ["ternary", 1, 1, "0 or 1", "The table is in TCAM."],
  ["use_hash_action", 1, 1, "0 or 1", "The key addresses the action data directly."],
  ["ways", 1, 1, "number", "Ways of the exact match's hash table."],
];

const STATE: readonly Row[] = [
  ["dont_unroll", 0, 0, "", "The loop of the state stays a loop."],
  ["dontmerge", 0, 1, "gress", "The state is not merged with others."],
  ["force_shift", 2, 2, "gress, bits", "The state moves on by this many bits, whatever it extracts."],
  ["max_loop_depth", 1, 1, "number", "How often the state's loop runs at most."],
  ["override_phase0_action_name", 1, 1, "name", "The action's name of the table of port metadata."],
  ["override_phase0_table_name", 1, 1, "name", "The name of the table of port metadata."],
  ["packet_entry", 0, 0, "", "Packets of a kind begin in this state."],
  ["terminate_parsing", 1, 1, "gress", "Parsing ends here."],
];

const INSTANCE: readonly Row[] = [
  [
    "adjust_byte_count",
    1,
    1,
    "bytes",
    "What counters and meters add to the length, as in sizeInBytes(hdr.bridge).",
  ],
  ["chain_address", 0, 0, "", "The register action takes the address that the one before gives."],
  ["chain_total_size", 1, 1, "number", "Cells of all registers of a chain."],
  ["green", 1, 1, "0 to 255", "What the meter answers for green."],
  ["lrt_enable", 1, 1, "0 or 1", "The chip sends counts to the control plane before they overflow."],
  ["lrt_scale", 1, 1, "number", "Divides the threshold of such messages, for tests."],
  ["meter_profile", 1, 1, "number", "The range of rates of the meter."],
  ["min_width", 1, 1, "bits", "The least width of the counter."],
  ["red", 1, 1, "0 to 255", "What the meter answers for red."],
  ["reduction_or_group", 1, 1, "name", "Results of the register actions of a group are joined by OR."],
  ["symmetric", 2, 2, "field, field", "The hash is the same with both fields exchanged."],
  ["true_egress_accounting", 0, 0, "", "Counts the length of the packet that leaves."],
  ["yellow", 1, 1, "0 to 255", "What the meter answers for yellow."],
];

const PROGRAM: readonly Row[] = [
  ["backward_compatible", 0, 0, "", "Behaves as the compiler before this one."],
  ["command_line", 1, MANY, "options", "Options of the compiler."],
  ["disable_egress_mirror_io_select_initialization", 0, 0, "", "Egress does not set mirror_io_select."],
  [
    "disable_reserved_i2e_drop_implementation",
    0,
    0,
    "",
    "Ingress does not reserve a bit for drops of mirrored packets.",
  ],
  [
    "do_not_use_clot",
    2,
    3,
    "gress, field",
    "The field or header stays out of the parser's bypass (Tofino 2).",
  ],
  ["egress_intrinsic_metadata_opt", 0, 0, "", "Egress metadata that nothing reads is left out."],
  ["gfm_parity_enable", 0, 0, "", "Hash matrices have a parity bit."],
  ["pa_alias", 3, MANY, "gress, field, field", "The fields share their container."],
  ["pa_allow_pov_on_mocha", 0, 0, "", "Valid bits may stand in mocha containers."],
  ["pa_atomic", 2, 3, "gress, field", "The field is not split over containers."],
  ["pa_auto_init_metadata", 0, 0, "", "Metadata begins as 0."],
  ["pa_byte_pack", 2, MANY, "gress, fields", "Metadata is laid out as listed."],
  ["pa_container_size", 3, MANY, "gress, field, sizes", "The field is in containers of 8, 16 or 32 bits."],
  [
    "pa_container_type",
    3,
    4,
    "gress, field, type",
    "The field is in containers of this type: normal, mocha, dark or tagalong.",
  ],
  ["pa_do_not_bridge", 2, 3, "gress, field", "The field is not handed from ingress to egress."],
  [
    "pa_mutually_exclusive",
    3,
    4,
    "gress, field, field",
    "Both are never live together, so they may share a container.",
  ],
  ["pa_no_init", 2, 3, "gress, field", "The field needs no initial value."],
  [
    "pa_no_overlay",
    2,
    MANY,
    "gress, fields",
    "The field shares its container's bits with no other, or not with those.",
  ],
  ["pa_no_pack", 3, MANY, "gress, field, field", "The fields are not in one container."],
  ["pa_parser_bandwidth_opt", 0, 0, "", "Containers are chosen for the parser's speed."],
  ["pa_parser_group_monogress", 0, 0, "", "Pairs of byte containers belong to one gress."],
  ["pa_prioritize_ara_inits", 0, 0, "", "Initial values are set by actions that always run."],
  ["pa_quick_phv_alloc", 0, 0, "", "Looks for containers in less time."],
  ["pa_solitary", 2, 3, "gress, field", "The field shares its container with no other field."],
  ["phv_limit", 1, MANY, "containers", "The containers that may be used."],
];

const FIELD: readonly Row[] = [
  ["header_checksum", 0, 0, "", "For P4Testgen: the field is a checksum of its header."],
  ["not_deparsed", 1, 2, "gress", "The header is not sent in this gress."],
  ["not_parsed", 1, 2, "gress", "The header is not extracted in this gress."],
  ["padding", 0, 0, "", "The field may hold anything."],
  ["payload_checksum", 0, 0, "", "For P4Testgen: the field is a checksum of the payload."],
];

const P4_14: readonly Row[] = [
  ["calculated_field_update_location", 1, 1, "gress", "P4-14 only: where a checksum is computed."],
  ["field_list_field_slice", 3, 3, "field, bit, bit", "P4-14 only: a slice in a field list."],
  ["not_extracted_in_egress", 0, 0, "", "For v1model's one parser only."],
];

/** What a number in an argument may be; undefined where the argument is none. */
export interface NumberRange {
  readonly allows: (value: bigint) => boolean;
  readonly text: string;
}

/** The numbers that the arguments may be, by position, as the form says them: `0 or 1`, `2 to 119040`, `1, 2, 3 or 6`, `bits`. */
export function numberRanges({ form }: TofinoAnnotation): (NumberRange | undefined)[] {
  const list = /^\d+(?:, \d+)* or \d+$/.test(form) ? form.match(/\d+/g)?.map(BigInt) : undefined;
  if (list !== undefined) return [{ allows: (value) => list.includes(value), text: form }];
  return form.split(", ").map((part) => {
    const [, least, most] = /^(\d+) to (\d+)$/.exec(part) ?? [];
    if (least !== undefined && most !== undefined)
      return { allows: (value) => value >= BigInt(least) && value <= BigInt(most), text: part };
    return NUMBER_WORDS.has(part)
      ? { allows: (value) => value >= 0n, text: "a number from 0 on" }
      : undefined;
  });
}

const NUMBER_WORDS = new Set(["number", "bits", "mask", "stage", "entries"]);

/** All of them; a test holds that each has its right place, a wrong place and a wrong argument. */
export const TOFINO_ANNOTATIONS: ReadonlyMap<string, TofinoAnnotation> = new Map(
  [
    ...rows(["table"], TABLE),
    ...rows(
      ["table", "block"],
      [
        [
          "stage",
          1,
          3,
          "stage, entries, flags",
          "The stage of the table, or of so many of its entries; of all tables of a block that have none of their own.",
        ],
      ],
    ),
    ...rows(
      ["table", "instance"],
      [
        ["selector_enable_scramble", 1, 1, "0 or 1", "Group members are mixed before one is chosen."],
        ["selector_max_group_size", 1, 1, "2 to 119040", "The most members of a group."],
        ["selector_num_max_groups", 1, 1, "number", "How many groups of that size there may be."],
      ],
    ),
    ...rows(["state"], STATE),
    ...rows(["instance"], INSTANCE),
    ...rows(["field"], FIELD),
    ...rows(
      ["field", "type"],
      [["flexible", 0, 0, "", "The compiler may order and align the fields as it likes."]],
    ),
    ...rows(
      ["key"],
      [
        ["hash_mask", 1, 1, "mask", "Bits of the key that its hash leaves out are 0."],
        ["ixbar_group_num", 1, 1, "0 to 7", "The group of the input crossbar for the field."],
      ],
    ),
    ...rows(["block", "action"], [["in_hash", 0, 0, "", "The statements are computed by the hash unit."]]),
    ...rows(
      ["table", "key", "action", "actionName", "instance", "parameter"],
      [["user_annotation", 1, MANY, "strings", "Strings for the control plane's files."]],
    ),
    ...rows(undefined, PROGRAM),
    ...rows(undefined, P4_14).map((one): TofinoAnnotation => ({ ...one, ignored: true })),
  ].map((one) => [one.name, one]),
);
