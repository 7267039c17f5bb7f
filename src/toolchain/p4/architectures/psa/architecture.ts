/** PSA, the Portable Switch Architecture: its package, its externs, and what the passes prepare for BMv2's psa_switch. */
import type { Architecture, LoweredCall } from "../../lower/architecture.js";
import { BMV2_PASSES } from "../../lower/bmv2-passes.js";
import { and, equal, field, not, number } from "../../lower/build.js";
import type { Expr } from "../../lower/ir.js";
import { bits } from "../../lower/ir-types.js";
import { lowerPortable } from "../../portable/calls.js";
import { PORTABLE_FUNCTIONS, PORTABLE_METHODS } from "../../portable/externs.js";
import { warnPortable } from "../../portable/warnings.js";
import { PSA_PACKAGES } from "./packages.js";

/** `PSA_PORT_RECIRCULATE`. */
const RECIRCULATE = 0xfffffffan;

const flag = ({ args, span }: LoweredCall, name: string): Expr => field(args[0]!, name, span);

export const psa: Architecture = {
  name: "psa",
  includes: ["psa.p4", "psa_dpdk.p4"],
  packages: PSA_PACKAGES,
  externs: {
    functions: {
      ...PORTABLE_FUNCTIONS,
      // Section 6.4: what happens to a packet after ingress and egress.
      psa_clone_i2e: { lower: (call) => flag(call, "clone") },
      psa_resubmit: { lower: (call) => and(not(flag(call, "drop")), flag(call, "resubmit"), call.span) },
      psa_normal: { lower: (call) => and(not(flag(call, "drop")), not(flag(call, "resubmit")), call.span) },
      psa_clone_e2e: { lower: (call) => flag(call, "clone") },
      psa_recirculate: {
        lower: (call) => {
          const port = field(call.args[1]!, "egress_port", call.span);
          const recirculates = equal(port, number(RECIRCULATE, bits(32), call.span), call.span);
          return and(not(flag(call, "drop")), recirculates, call.span);
        },
      },
    },
    methods: PORTABLE_METHODS,
  },
  keepsProperties: true,
  looksAheadWhole: true,
  passes: [{ name: "portable-externs", run: (program) => lowerPortable(program, "psa_") }, ...BMV2_PASSES],
  warn: (program, _unit, diagnostics) => warnPortable(program, "psa_", diagnostics),
};
