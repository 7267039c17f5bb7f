/** Small v1model programs for the tests of lowering and emitting: only what a test is about is written in it. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { type CompileResult, compile } from "../../../../src/toolchain/p4/index.js";

export interface Parts {
  /** Declarations before everything else. */
  top?: string;
  headers?: string;
  metadata?: string;
  parserLocals?: string;
  /** States of the parser; the first must be `start`. */
  states?: string;
  locals?: string;
  ingress?: string;
  egressLocals?: string;
  egress?: string;
  verify?: string;
  compute?: string;
  deparser?: string;
}

/** The whole text. Headers struct `hdr`, metadata `meta`, standard metadata `sm`, packet `pkt`. */
export function v1model(parts: Parts): string {
  return `#include <core.p4>
#include <v1model.p4>
${parts.top ?? ""}
struct headers_t { ${parts.headers ?? ""} }
struct meta_t { ${parts.metadata ?? ""} }
parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    ${parts.parserLocals ?? ""}
    ${parts.states ?? "state start { transition accept; }"}
}
control V(inout headers_t hdr, inout meta_t meta) { apply { ${parts.verify ?? ""} } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    ${parts.locals ?? ""}
    apply {
        sm.egress_spec = 1;
        ${parts.ingress ?? ""}
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    ${parts.egressLocals ?? ""}
    apply { ${parts.egress ?? ""} }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { ${parts.compute ?? ""} } }
control D(packet_out pkt, in headers_t hdr) { apply { ${parts.deparser ?? ""} } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;
}

export interface Compiled {
  result: CompileResult | undefined;
  diagnostics: Diagnostics;
  /** Codes in order. */
  codes: string[];
  /** The program's text after each pass. */
  dumps: Map<string, string>;
}

export function tryCompile(text: string, path = "test.p4"): Compiled {
  const diagnostics = new Diagnostics();
  const dumps = new Map<string, string>();
  const dump = (pass: string, printed: string): void => {
    dumps.set(pass, printed);
  };
  const result = compile({ file: new SourceFile(path, text), dump }, diagnostics);
  return { result, diagnostics, codes: diagnostics.list.map((one) => one.code), dumps };
}

/** Compiles and expects no error. */
export function compileParts(parts: Parts): CompileResult & { dumps: Map<string, string> } {
  const { result, diagnostics, dumps } = tryCompile(v1model(parts));
  if (result === undefined)
    throw new Error(diagnostics.list.map((one) => `${one.code} ${one.message}`).join("\n"));
  return { ...result, dumps };
}
