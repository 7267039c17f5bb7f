/** Small TNA programs for the tests of their lowering: only what a test is about is written in it. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { targetOf } from "../../../../src/toolchain/p4/architectures/registry.js";
import { elaborate } from "../../../../src/toolchain/p4/lower/elaborate/program.js";
import type { IrProgram } from "../../../../src/toolchain/p4/lower/ir.js";
import { applyPasses } from "../../../../src/toolchain/p4/lower/passes.js";
import type { SourceUnit } from "../../../../src/toolchain/p4/syntax/ast.js";
import { parse } from "../../../../src/toolchain/p4/syntax/index.js";
import { check } from "../../../../src/toolchain/p4/types/index.js";

export interface TnaParts {
  /** `tna` where it is not given. */
  arch?: "tna" | "t2na";
  /** Declarations before everything else. */
  top?: string;
  metadata?: string;
  parserLocals?: string;
  /** States after `start`, which extracts the intrinsic metadata and goes to the first of them. */
  states?: string;
  locals?: string;
  ingress?: string;
  deparserLocals?: string;
  deparser?: string;
  egressLocals?: string;
  egress?: string;
  /** From the pipes on. */
  main?: string;
}

export function tna(parts: TnaParts): string {
  return `#include <${parts.arch ?? "tna"}.p4>
header h_t { bit<16> a; bit<16> b; @padding bit<7> pad; bit<9> port; }
struct headers_t { h_t h; h_t k; }
struct meta_t { bit<16> x; bit<32> y; bit<8> z; bit<1> one; ${parts.metadata ?? ""} }
${parts.top ?? ""}
parser IP(packet_in pkt, out headers_t hdr, out meta_t meta, out ingress_intrinsic_metadata_t ig) {
    ${parts.parserLocals ?? ""}
    state start { pkt.extract(ig); transition ${parts.states === undefined ? "accept" : "next"}; }
    ${parts.states ?? ""}
}
control I(inout headers_t hdr, inout meta_t meta, in ingress_intrinsic_metadata_t ig,
        in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
        inout ingress_intrinsic_metadata_for_tm_t tm) {
    ${parts.locals ?? ""}
    apply { ${parts.ingress ?? ""} }
}
control ID(packet_out pkt, inout headers_t hdr, in meta_t meta, in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    ${parts.deparserLocals ?? ""}
    apply { ${parts.deparser ?? "pkt.emit(hdr);"} }
}
parser EP(packet_in pkt, out headers_t hdr, out meta_t meta, out egress_intrinsic_metadata_t eg) {
    state start { pkt.extract(eg); transition accept; }
}
control E(inout headers_t hdr, inout meta_t meta, in egress_intrinsic_metadata_t eg,
        in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
        inout egress_intrinsic_metadata_for_output_port_t oport) {
    ${parts.egressLocals ?? ""}
    apply { ${parts.egress ?? ""} }
}
control ED(packet_out pkt, inout headers_t hdr, in meta_t meta, in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}
${parts.main ?? "Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;\nSwitch(pipe) main;"}
`;
}

export interface LoweredText {
  unit: SourceUnit;
  lowered: IrProgram | undefined;
  diagnostics: Diagnostics;
  /** `CODE message`, errors only. */
  errors: string[];
}

/** Lowers a program up to its passes; `stop` leaves them out. */
export function lowerText(text: string, stop: "elaborated" | "passed" = "passed"): LoweredText {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("test.p4", text);
  const unit = parse({ file }, diagnostics);
  if (!diagnostics.hasErrors) check(unit, diagnostics);
  let lowered: IrProgram | undefined;
  if (!diagnostics.hasErrors) {
    const { architecture } = targetOf(unit, {})!;
    lowered = elaborate(unit, file, architecture, diagnostics);
    if (lowered !== undefined && stop === "passed") applyPasses(lowered, architecture.passes, diagnostics);
  }
  const errors = diagnostics.list.filter(({ severity }) => severity === "error");
  return { unit, lowered, diagnostics, errors: errors.map(({ code, message }) => `${code} ${message}`) };
}

/** Lowers a program of parts that must be right. */
export function lowerTna(
  parts: TnaParts,
  stop?: "elaborated" | "passed",
): { unit: SourceUnit; lowered: IrProgram } {
  const { unit, lowered, errors } = lowerText(tna(parts), stop);
  if (lowered === undefined || errors.length > 0) throw new Error(errors.join("\n"));
  return { unit, lowered };
}
