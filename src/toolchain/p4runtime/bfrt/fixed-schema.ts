/**
 * The tables that BF Runtime has for every program, as far as this server has them: ports, mirror sessions, multicast groups. Numbers and
 * names are those of the open drivers.
 */
import { type Field, table } from "./fixed-form.js";

const number = (name: string, more: Partial<Field> = {}): Field => ({ name, type: "uint32", ...more });
const flag = (name: string, more: Partial<Field> = {}): Field => ({ name, type: "bool", ...more });

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

const DEV_PORT = number("$DEV_PORT");
const PORTS = 512;

export const PORT = table({
  name: "$PORT",
  id: 0xff010001,
  type: "PortConfigure",
  size: PORTS,
  key: [DEV_PORT],
  data: [
    { name: "$SPEED", type: "string", choices: SPEEDS.map((speed) => `BF_SPEED_${speed}`) },
    {
      name: "$FEC",
      type: "string",
      choices: ["NONE", "FIRECODE", "REED_SOLOMON", "FC", "RS"].map((fec) => `BF_FEC_TYP_${fec}`),
    },
    number("$N_LANES", { initial: 1n }),
    flag("$PORT_ENABLE", { initial: false }),
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
    number("$TX_MTU", { initial: 10_240n }),
    number("$RX_MTU", { initial: 10_240n }),
    number("$TX_PFC_EN_MAP", { initial: 0n }),
    number("$RX_PFC_EN_MAP", { initial: 0n }),
    flag("$TX_PAUSE_FRAME_EN", { initial: false }),
    flag("$RX_PAUSE_FRAME_EN", { initial: false }),
    flag("$CUT_THROUGH_EN", { initial: false }),
    {
      name: "$PORT_DIR",
      type: "string",
      choices: ["PM_PORT_DIR_DEFAULT", "PM_PORT_DIR_TX_ONLY", "PM_PORT_DIR_RX_ONLY"],
    },
    flag("$IS_VALID", { id: 21, isReadOnly: true }),
    flag("$IS_INTERNAL", { isReadOnly: true }),
    number("$CONN_ID", { isReadOnly: true }),
    number("$CHNL_ID", { isReadOnly: true }),
    flag("$PORT_UP", { isReadOnly: true }),
    { name: "$PORT_NAME", type: "string", isReadOnly: true },
  ],
});

const count = (name: string, id: number): Field => ({ name, id, type: "uint64", initial: 0n });

/** Counts that a switch without a wire has. */
export const PORT_STAT = table({
  name: "$PORT_STAT",
  id: 0xff010002,
  type: "PortStat",
  size: PORTS,
  key: [DEV_PORT],
  data: [
    count("$FramesReceivedOK", 1),
    count("$FramesReceivedAll", 2),
    count("$FrameswithanyError", 4),
    count("$OctetsReceivedinGoodFrames", 5),
    count("$OctetsReceived", 6),
    count("$FramesTransmittedOK", 33),
    count("$FramesTransmittedAll", 34),
    count("$FramesTransmittedwithError", 35),
    count("$OctetsTransmittedwithouterror", 36),
    count("$OctetsTransmittedTotal", 37),
    count("$TX_PPS", 92),
    count("$RX_PPS", 93),
    count("$TX_RATE", 94),
    count("$RX_RATE", 95),
  ],
});

const PORT_NUMBER = [number("$DEV_PORT", { isReadOnly: true })];

export const PORT_HDL_INFO = table({
  name: "$PORT_HDL_INFO",
  id: 0xff010003,
  type: "PortHdlInfo",
  size: PORTS,
  key: [number("$CONN_ID", { initial: 0n }), number("$CHNL_ID", { initial: 0n })],
  data: PORT_NUMBER,
});

export const PORT_FP_IDX_INFO = table({
  name: "$PORT_FP_IDX_INFO",
  id: 0xff010004,
  type: "PortFpIdxInfo",
  size: PORTS,
  key: [number("$FP_IDX", { initial: 0n })],
  data: PORT_NUMBER,
});

export const PORT_STR_INFO = table({
  name: "$PORT_STR_INFO",
  id: 0xff010005,
  type: "PortStrInfo",
  size: PORTS,
  key: [{ name: "$PORT_NAME", type: "string" }],
  data: PORT_NUMBER,
});

export const MIRROR = table({
  name: "$mirror.cfg",
  id: 0xff040001,
  type: "MirrorCfg",
  size: 1024,
  key: [{ name: "$sid", type: "uint16" }],
  actions: [{ id: 2, name: "$normal", params: [] }],
  data: [
    flag("$session_enable", { id: 5 }),
    { name: "$direction", type: "string", choices: ["INGRESS", "EGRESS", "BOTH"] },
    number("$ucast_egress_port"),
    flag("$ucast_egress_port_valid"),
    number("$egress_port_queue"),
    number("$ingress_cos"),
    { name: "$packet_color", type: "string", choices: ["GREEN", "YELLOW", "RED"] },
    number("$level1_mcast_hash"),
    number("$level2_mcast_hash"),
    { name: "$mcast_grp_a", type: "uint16" },
    flag("$mcast_grp_a_valid"),
    { name: "$mcast_grp_b", type: "uint16" },
    flag("$mcast_grp_b_valid"),
    { name: "$mcast_l1_xid", type: "uint16" },
    { name: "$mcast_l2_xid", type: "uint16" },
    { name: "$mcast_rid", type: "uint16" },
    number("$icos_for_copy_to_cpu"),
    flag("$copy_to_cpu"),
    { name: "$max_pkt_len", type: "uint16" },
  ],
});

const NODE_IDS: Field = { name: "$MULTICAST_NODE_ID", type: "uint32", repeated: true };

export const GROUP = table({
  name: "$pre.mgid",
  id: 0xff020001,
  type: "PreMgid",
  size: 65_536,
  key: [{ name: "$MGID", type: "uint16" }],
  data: [
    NODE_IDS,
    { name: "$MULTICAST_NODE_L1_XID_VALID", type: "bool", repeated: true },
    { name: "$MULTICAST_NODE_L1_XID", type: "uint16", repeated: true },
    { name: "$MULTICAST_ECMP_ID", type: "uint32", repeated: true },
    { name: "$MULTICAST_ECMP_L1_XID_VALID", type: "bool", repeated: true },
    { name: "$MULTICAST_ECMP_L1_XID", type: "uint16", repeated: true },
  ],
});

const PORT_LIST: Field = { name: "$DEV_PORT", type: "uint32", repeated: true };

export const NODE = table({
  name: "$pre.node",
  id: 0xff020002,
  type: "PreNode",
  size: 16_777_216,
  key: [number("$MULTICAST_NODE_ID")],
  data: [
    { name: "$MULTICAST_RID", type: "uint16" },
    { name: "$MULTICAST_LAG_ID", type: "uint8", repeated: true },
    PORT_LIST,
  ],
});

export const ECMP = table({
  name: "$pre.ecmp",
  id: 0xff020003,
  type: "PreEcmp",
  size: 16_777_216,
  key: [number("$MULTICAST_ECMP_ID")],
  data: [NODE_IDS],
});

export const LAG = table({
  name: "$pre.lag",
  id: 0xff020004,
  type: "PreLag",
  size: 255,
  key: [{ name: "$MULTICAST_LAG_ID", type: "uint8" }],
  data: [PORT_LIST],
});

export const PRUNE = table({
  name: "$pre.prune",
  id: 0xff020005,
  type: "PrePrune",
  size: 512,
  key: [{ name: "$MULTICAST_L2_XID", type: "uint16" }],
  data: [PORT_LIST],
});

export const PRE_PORT = table({
  name: "$pre.port",
  id: 0xff020006,
  type: "PrePort",
  size: PORTS,
  key: [DEV_PORT],
  data: [
    number("$MULTICAST_BACKUP_PORT"),
    flag("$MULTICAST_FORWARD_STATE"),
    flag("$MULTICAST_CLEAR_FAST_FAILOVER"),
    flag("$COPY_TO_CPU_PORT_ENABLE"),
  ],
});
