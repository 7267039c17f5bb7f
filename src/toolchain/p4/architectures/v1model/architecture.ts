/** v1model, the architecture of BMv2's simple_switch: its package, its externs, and what the passes prepare for BMv2 JSON. */
import { fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { Architecture, BlockShape, ExternShape, ParameterShape } from "../../lower/architecture.js";
import { BMV2_PASSES } from "../../lower/bmv2-passes.js";
import type { SourceUnit } from "../../syntax/ast.js";
import { markToDrop } from "./mark-to-drop.js";
import { warn } from "./warnings.js";

const PACKET: ParameterShape = { storage: "packet" };
const HEADERS: ParameterShape = { storage: "headers" };
const METADATA: ParameterShape = { storage: "metadata" };
const STANDARD: ParameterShape = { storage: "standard" };

const control = (role: string): BlockShape => ({
  role,
  kind: "control",
  params: [HEADERS, METADATA, STANDARD],
});

const checksum = (role: string): BlockShape => ({ role, kind: "checksum", params: [HEADERS, METADATA] });

/** The arguments of `V1Switch`, in the order in which a packet meets them. */
const BLOCKS: readonly BlockShape[] = [
  {
    role: "parser",
    kind: "parser",
    params: [
      PACKET,
      { ...HEADERS, isStruct: true },
      { ...METADATA, isStruct: true },
      { ...STANDARD, isStruct: true },
    ],
  },
  checksum("verify"),
  control("ingress"),
  control("egress"),
  checksum("compute"),
  { role: "deparser", kind: "deparser", params: [PACKET, HEADERS] },
];

const PLAIN: ExternShape = {};

const FUNCTIONS: Readonly<Record<string, ExternShape>> = {
  mark_to_drop: { whole: true, lower: markToDrop },
  digest: { as: "digest" },
  hash: { computes: true, fields: 3 },
  random: { computes: true },
  truncate: PLAIN,
  assert: PLAIN,
  assume: PLAIN,
  log_msg: PLAIN,
  clone: PLAIN,
  clone3: PLAIN,
  clone_preserving_field_list: PLAIN,
  resubmit: PLAIN,
  resubmit_preserving_field_list: PLAIN,
  recirculate: PLAIN,
  recirculate_preserving_field_list: PLAIN,
  verify_checksum: PLAIN,
  verify_checksum_with_payload: PLAIN,
  update_checksum: PLAIN,
  update_checksum_with_payload: PLAIN,
};

const METHODS: Readonly<Record<string, ExternShape>> = {
  "counter.count": PLAIN,
  "direct_counter.count": PLAIN,
  "meter.execute_meter": PLAIN,
  "direct_meter.read": PLAIN,
  "register.read": PLAIN,
  "register.write": PLAIN,
};

export const v1model: Architecture = {
  name: "v1model",
  includes: ["v1model.p4"],
  packages: [{ name: "V1Switch", isPipe: true, arguments: BLOCKS }],
  externs: { functions: FUNCTIONS, methods: METHODS },
  looksAheadWhole: true,
  passes: BMV2_PASSES,
  checkUnit: checkVersion,
  warn,
};

/** Dates of the oldest and newest version of v1model.p4. */
const FIRST_VERSION = 20180101n;
const LAST_VERSION = 20200408n;

function checkVersion(unit: SourceUnit): void {
  for (const one of unit.declarations) {
    if (one.kind !== "constant" || one.name.name !== "__v1model_version") continue;
    const value = one.constant ?? one.initializer.constant;
    if (value?.kind === "integer" && (value.value < FIRST_VERSION || value.value > LAST_VERSION))
      fail(
        CODES.v1modelVersion,
        one.span,
        `there is no version ${value.value} of v1model`,
        `define V1MODEL_VERSION as ${FIRST_VERSION} or ${LAST_VERSION}`,
      );
  }
}
