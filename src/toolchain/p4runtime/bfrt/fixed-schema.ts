/** The tables that BF Runtime has for every program, as far as this server has them: ports, mirror sessions, multicast groups. */
import type { BfrtSchema } from "../../program/index.js";
import type { DataPart, Table } from "./schema-index.js";

interface Field {
  name: string;
  type: string;
  repeated?: boolean;
  choices?: readonly string[];
  initial?: bigint | boolean | string;
}

function typeOf({ type, choices, initial }: Field): { type: string } {
  return {
    type,
    ...(choices === undefined ? {} : { choices }),
    ...(initial === undefined ? {} : { default_value: initial }),
  };
}

/** Fields get their numbers by their order, from `from` on. */
function data(fields: readonly Field[], from = 1): Table["data"] {
  return fields.map((field, i) => ({
    mandatory: false,
    read_only: false,
    singleton: {
      id: from + i,
      name: field.name,
      repeated: field.repeated === true,
      annotations: [],
      type: typeOf(field),
    },
  }));
}

interface Fixed {
  name: string;
  id: number;
  type: string;
  size: number;
  key: Field;
}

function table({ name, id, type, size, key }: Fixed, fields: Table["data"], actions?: string): Table {
  return {
    name,
    id,
    table_type: type,
    size,
    annotations: [],
    depends_on: [],
    key: [
      {
        id: 1,
        name: key.name,
        repeated: false,
        annotations: [],
        mandatory: true,
        match_type: "Exact",
        type: typeOf(key),
      },
    ],
    ...(actions === undefined
      ? {}
      : {
          action_specs: [
            { id: 2, name: actions, action_scope: "TableAndDefault", annotations: [], data: [] },
          ],
        }),
    data: fields,
    supported_operations: [],
    attributes: [],
  };
}

const SPEEDS = [
  "NONE",
  "1G",
  "10G",
  "25G",
  "40G",
  "40G_NB",
  "40G_NON_BREAKABLE",
  "50G",
  "100G",
  "200G",
  "400G",
];

export const PORT = table(
  {
    name: "$PORT",
    id: 0xff010001,
    type: "PortConfigure",
    size: 512,
    key: { name: "$DEV_PORT", type: "uint32" },
  },
  [
    ...data([
      { name: "$SPEED", type: "string", choices: SPEEDS.map((speed) => `BF_SPEED_${speed}`) },
      {
        name: "$FEC",
        type: "string",
        choices: ["NONE", "FIRECODE", "REED_SOLOMON", "FC", "RS"].map((fec) => `BF_FEC_TYP_${fec}`),
      },
      { name: "$N_LANES", type: "uint32", initial: 1n },
      { name: "$PORT_ENABLE", type: "bool", initial: false },
      {
        name: "$AUTO_NEGOTIATION",
        type: "string",
        choices: ["PM_AN_DEFAULT", "PM_AN_FORCE_ENABLE", "PM_AN_FORCE_DISABLE"],
      },
      {
        name: "$LOOPBACK_MODE",
        type: "string",
        choices: ["NONE", "MAC_NEAR", "MAC_FAR", "PCS_NEAR", "SERDES_NEAR", "SERDES_FAR"].map(
          (mode) => `BF_LPBK_${mode}`,
        ),
      },
      { name: "$TX_MTU", type: "uint32", initial: 10_240n },
      { name: "$RX_MTU", type: "uint32", initial: 10_240n },
      { name: "$TX_PFC_EN_MAP", type: "uint32", initial: 0n },
      { name: "$RX_PFC_EN_MAP", type: "uint32", initial: 0n },
      { name: "$TX_PAUSE_FRAME_EN", type: "bool", initial: false },
      { name: "$RX_PAUSE_FRAME_EN", type: "bool", initial: false },
      { name: "$CUT_THROUGH_EN", type: "bool", initial: false },
      {
        name: "$PORT_DIR",
        type: "string",
        choices: ["PM_PORT_DIR_DEFAULT", "PM_PORT_DIR_TX_ONLY", "PM_PORT_DIR_RX_ONLY"],
      },
    ]),
    ...data([{ name: "$IS_VALID", type: "bool" }], 21),
    ...data([{ name: "$PORT_UP", type: "bool" }], 25),
  ],
);

export const MIRROR = table(
  {
    name: "$mirror.cfg",
    id: 0xff040001,
    type: "MirrorCfg",
    size: 1024,
    key: { name: "$sid", type: "uint16" },
  },
  data(
    [
      { name: "$session_enable", type: "bool" },
      { name: "$direction", type: "string", choices: ["INGRESS", "EGRESS", "BOTH"] },
      { name: "$ucast_egress_port", type: "uint32" },
      { name: "$ucast_egress_port_valid", type: "bool" },
      { name: "$egress_port_queue", type: "uint32" },
      { name: "$ingress_cos", type: "uint32" },
      { name: "$packet_color", type: "string", choices: ["GREEN", "YELLOW", "RED"] },
      { name: "$level1_mcast_hash", type: "uint32" },
      { name: "$level2_mcast_hash", type: "uint32" },
      { name: "$mcast_grp_a", type: "uint16" },
      { name: "$mcast_grp_a_valid", type: "bool" },
      { name: "$mcast_grp_b", type: "uint16" },
      { name: "$mcast_grp_b_valid", type: "bool" },
      { name: "$mcast_l1_xid", type: "uint16" },
      { name: "$mcast_l2_xid", type: "uint16" },
      { name: "$mcast_rid", type: "uint16" },
      { name: "$icos_for_copy_to_cpu", type: "uint32" },
      { name: "$copy_to_cpu", type: "bool" },
      { name: "$max_pkt_len", type: "uint16" },
    ],
    5,
  ),
  "$normal",
);

export const GROUP = table(
  {
    name: "$pre.mgid",
    id: 0xff020001,
    type: "PreMgid",
    size: 65_536,
    key: { name: "$MGID", type: "uint16" },
  },
  data([
    { name: "$MULTICAST_NODE_ID", type: "uint32", repeated: true },
    { name: "$MULTICAST_NODE_L1_XID_VALID", type: "bool", repeated: true },
    { name: "$MULTICAST_NODE_L1_XID", type: "uint16", repeated: true },
  ]),
);

export const NODE = table(
  {
    name: "$pre.node",
    id: 0xff020002,
    type: "PreNode",
    size: 16_777_216,
    key: { name: "$MULTICAST_NODE_ID", type: "uint32" },
  },
  data([
    { name: "$MULTICAST_RID", type: "uint16" },
    { name: "$MULTICAST_LAG_ID", type: "uint8", repeated: true },
    { name: "$DEV_PORT", type: "uint32", repeated: true },
  ]),
);

export const PRUNE = table(
  {
    name: "$pre.prune",
    id: 0xff020005,
    type: "PrePrune",
    size: 512,
    key: { name: "$MULTICAST_L2_XID", type: "uint16" },
  },
  data([{ name: "$DEV_PORT", type: "uint32", repeated: true }]),
);

export const FIXED: BfrtSchema = {
  schema_version: "1.0.0",
  tables: [PORT, MIRROR, GROUP, NODE, PRUNE],
  learn_filters: [],
};

/** What a field is while nobody has written it. */
export function initialOf({
  type,
  repeated,
}: DataPart): bigint | boolean | string | readonly number[] | readonly boolean[] {
  const kind = type as
    | { type: string; choices?: readonly string[]; default_value?: bigint | boolean | string }
    | undefined;
  if (repeated) return [];
  if (kind?.default_value !== undefined) return kind.default_value;
  if (kind?.type === "bool") return false;
  if (kind?.type === "string") return kind.choices?.[0] ?? "";
  return 0n;
}
