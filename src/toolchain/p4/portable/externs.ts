/** The externs that PSA and PNA share: which functions and methods there are. Calls stay as they are until `calls.ts` lowers them. */
import type { ExternShape } from "../lower/architecture.js";

const PLAIN: ExternShape = {};

/** The result depends on the arguments alone. */
const COMPUTES: ExternShape = { computes: true };

const METHODS: Readonly<Record<string, readonly string[]>> = {
  Counter: ["count"],
  DirectCounter: ["count"],
  Meter: ["execute", "dpdk_execute"],
  DirectMeter: ["execute", "dpdk_execute"],
  Register: ["read", "write"],
  Random: ["read"],
  Checksum: ["clear", "update", "get"],
  InternetChecksum: ["clear", "add", "subtract", "get", "get_state", "set_state"],
  Digest: ["pack"],
};

export const PORTABLE_METHODS: Readonly<Record<string, ExternShape>> = {
  ...Object.fromEntries(
    Object.entries(METHODS).flatMap(([type, names]) => names.map((name) => [`${type}.${name}`, PLAIN])),
  ),
  "Hash.get_hash": COMPUTES,
};

export const PORTABLE_FUNCTIONS: Readonly<Record<string, ExternShape>> = {
  assert: PLAIN,
  assume: PLAIN,
};
