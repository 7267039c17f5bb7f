/** The externs of TNA and T2NA: which functions and methods there are, and what the passes may assume of a call. */
import type { ExternShape, LoweredCall } from "../../lower/architecture.js";
import { number } from "../../lower/build.js";
import { bits, totalWidth } from "../../lower/ir-types.js";

const PLAIN: ExternShape = {};

/** The result depends on the arguments alone. */
const COMPUTES: ExternShape = { computes: true };

/** The programs of a stateful ALU: the types whose instances have methods in the program, each in forms with one to four results. */
const ALU_ACTIONS = ["RegisterAction", "DirectRegisterAction", "LearnAction", "MinMaxAction"].flatMap(
  (name) => [name, `${name}2`, `${name}3`, `${name}4`],
);

export const ABSTRACT_TYPES: ReadonlySet<string> = new Set([...ALU_ACTIONS, "SelectorAction"]);

/** From outside, and what the ALU offers inside a method. */
const ALU_CALLS = [
  "execute",
  "execute_log",
  "enqueue",
  "dequeue",
  "push",
  "pop",
  "sweep",
  "address",
  "predicate",
  "min8",
  "max8",
  "min16",
  "max16",
];

const METHODS: Readonly<Record<string, readonly string[]>> = {
  Counter: ["count"],
  DirectCounter: ["count"],
  Meter: ["execute"],
  DirectMeter: ["execute"],
  Lpf: ["execute"],
  DirectLpf: ["execute"],
  Wred: ["execute"],
  DirectWred: ["execute"],
  Register: ["read", "write", "clear"],
  DirectRegister: ["read", "write", "clear"],
  RegisterParam: ["read"],
  MathUnit: ["execute"],
  SelectorAction: ["execute"],
  Random: ["get"],
  Checksum: ["add", "subtract", "verify", "subtract_all_and_deposit", "get", "update"],
  ParserCounter: ["set", "push", "pop", "is_zero", "is_negative", "increment", "decrement"],
  ParserPriority: ["set"],
  Mirror: ["emit"],
  Resubmit: ["emit"],
  Digest: ["pack"],
  Pktgen: ["emit"],
};

export const EXTERN_METHODS: Readonly<Record<string, ExternShape>> = {
  ...Object.fromEntries(
    Object.entries(METHODS).flatMap(([type, names]) => names.map((name) => [`${type}.${name}`, PLAIN])),
  ),
  ...Object.fromEntries(ALU_ACTIONS.flatMap((type) => ALU_CALLS.map((name) => [`${type}.${name}`, PLAIN]))),
  "Hash.get": COMPUTES,
};

export const EXTERN_FUNCTIONS: Readonly<Record<string, ExternShape>> = {
  min: COMPUTES,
  max: COMPUTES,
  funnel_shift_right: COMPUTES,
  invalidate: PLAIN,
  is_validated: PLAIN,
  port_metadata_unpack: PLAIN,
  sizeInBits: { lower: (call) => widthOf(call, 1) },
  sizeInBytes: { lower: (call) => widthOf(call, 8) },
};

/** The width of the argument's type in units of so many bits, as a constant. */
function widthOf({ args, span }: LoweredCall, unit: number) {
  const width = args.reduce((sum, { type }) => sum + totalWidth(type), 0);
  return number(BigInt(Math.ceil(width / unit)), bits(32), span);
}
