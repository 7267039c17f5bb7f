/** PNA, the Portable NIC Architecture: its package, its externs, and what the passes prepare for BMv2's pna_nic. */
import type { Architecture, ExternShape } from "../../lower/architecture.js";
import { BMV2_PASSES } from "../../lower/bmv2-passes.js";
import { equal, number } from "../../lower/build.js";
import type { Expr, IrProgram, Stmt, StmtOf } from "../../lower/ir.js";
import { BOOL } from "../../lower/ir-types.js";
import { assign, zero } from "../../lower/plain-values.js";
import { lowerPortable } from "../../portable/calls.js";
import { PORTABLE_FUNCTIONS, PORTABLE_METHODS } from "../../portable/externs.js";
import { warnPortable } from "../../portable/warnings.js";
import { checkCalls } from "./checks.js";
import { keepTimers } from "./expiry.js";
import { keepLearned } from "./learning.js";
import { PNA_NIC_PACKAGES, PNA_PACKAGES } from "./packages.js";

/** `PNA_PORT_CPU`, the only port of the host that a switch has. */
const CPU = 0xfffffffdn;

const PLAIN: ExternShape = {};

const FUNCTIONS: Readonly<Record<string, ExternShape>> = {
  ...PORTABLE_FUNCTIONS,
  drop_packet: PLAIN,
  send_to_port: PLAIN,
  mirror_packet: PLAIN,
  recirculate: PLAIN,
  add_entry: PLAIN,
  allocate_flow_id: PLAIN,
  set_entry_expire_time: PLAIN,
  restart_expire_timer: PLAIN,
  SelectByDirection: { computes: true, whole: true },
  is_host_port: { lower: ({ args, span }) => equal(args[0]!, hostPort(args[0]!), span) },
  is_net_port: {
    lower: ({ args, span }) => ({
      kind: "unary",
      op: "!",
      operand: equal(args[0]!, hostPort(args[0]!), span),
      type: BOOL,
      span,
    }),
  },
};

function hostPort({ type, span }: Expr): Expr {
  return number(CPU, type as Extract<Expr["type"], { kind: "bits" }>, span);
}

type Extern = StmtOf<"extern">;

/** A call that has no effect, with a result of zeros. */
function nothing({ result, span }: Extern): Stmt[] {
  return result === undefined ? [] : [assign(result, zero(result.type, span), span)];
}

const OWN: Readonly<Record<string, (stmt: Extern, program: IrProgram) => Stmt[]>> = {
  allocate_flow_id: nothing,
  SelectByDirection: ({ args, result, span }) => {
    const [direction, whenNet, whenHost] = args;
    if (result === undefined) return [];
    const toHost: Expr = { kind: "member", name: "NET_TO_HOST", index: 0, type: direction!.type, span };
    const condition = equal(direction!, toHost, span);
    const take = (value: Expr): Stmt[] => [assign(result, value, span)];
    return [{ kind: "if", condition, whenTrue: take(whenNet!), whenFalse: take(whenHost!), span }];
  },
};

const SHARED: Omit<Architecture, "name" | "includes" | "packages"> = {
  externs: { functions: FUNCTIONS, methods: PORTABLE_METHODS },
  keepsProperties: true,
  looksAheadWhole: true,
  passes: [
    { name: "kept-entries", run: keepLearned },
    { name: "kept-timers", run: keepTimers },
    { name: "portable-externs", run: (program) => lowerPortable(program, "pna_", OWN) },
    ...BMV2_PASSES,
  ],
  warn: (program, _unit, diagnostics) => {
    checkCalls(program, diagnostics);
    warnPortable(program, "pna_", diagnostics);
  },
};

/** As BMv2's pna_nic has it; its file includes that of the other form. */
export const pnaNic: Architecture = {
  ...SHARED,
  name: "pna_nic",
  includes: ["pna_bmv2.p4"],
  packages: PNA_NIC_PACKAGES,
};

export const pna: Architecture = {
  ...SHARED,
  name: "pna",
  includes: ["pna.p4", "pna_dpdk.p4"],
  packages: PNA_PACKAGES,
};
