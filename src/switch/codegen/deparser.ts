/** The deparser as a function: valid headers in order, then the payload, into a new byte array. */
import type { bmv2 } from "../../program/index.js";
import { PrimitiveWriter, type Resources } from "./action.js";
import { type BitPart, byteAt, chunk } from "./bits.js";
import { Emitter } from "./emitter.js";
import { phv } from "./expression.js";
import type { HeaderSlot } from "./layout.js";

/** Payloads of up to so many bytes are copied in a loop, which is faster than a view for `set`. */
const SHORT_COPY = 64;

function partOf(header: HeaderSlot): BitPart[] {
  return header.fields.map((field) => ({
    words: Array.from({ length: field.words }, (_, i) => phv(field.at + i)),
    width: field.width,
  }));
}

/** `function deparse(s, limit)`: the frame, at most `limit` bytes of it. */
export function writeDeparser(deparser: bmv2.Bmv2Deparser, resources: Resources): string {
  const out = new Emitter();
  const headers = deparser.order.map((name) => resources.layout.headers.get(name)!);
  out.open("function deparse(s, limit)");
  out.line("const P = s.phv, D = s.frame, O = s.start, E = s.end;");
  const primitives = new PrimitiveWriter(out, resources);
  for (const primitive of deparser.primitives ?? []) primitives.write(primitive);
  out.line("let size = E - O;");
  for (const header of headers) {
    const fixed = header.fixedBits >> 3;
    const more = header.varbit === undefined ? "" : ` + (P[${header.varbit.at}] >> 3)`;
    out.line(`if (P[${header.valid}] === 1) size += ${fixed}${more};`);
  }
  out.line("const R = newFrame(size);");
  out.line("let at = 0;");
  for (const header of headers) {
    out.open(`if (P[${header.valid}] === 1)`);
    if (header.varbit === undefined) {
      const parts = partOf(header);
      const bytes = header.fixedBits >> 3;
      for (let i = 0; i < bytes; i++) out.line(`${byteAt("R", "at", i)} = ${chunk(parts, 8 * i, 8, true)};`);
      out.line(`at += ${bytes};`);
    } else {
      out.line("let bit = 8 * at;");
      for (const field of header.fields) {
        if (field.varbit) out.line(`bit = putVarbit(R, bit, P, ${field.at});`);
        else
          for (let i = field.words - 1; i >= 0; i--)
            out.line(`bit = putBits(R, bit, P[${field.at + i}], ${Math.min(32, field.width - 32 * i)});`);
      }
      out.line("at = bit >> 3;");
    }
    out.close();
  }
  out.line(`if (E - O <= ${SHORT_COPY}) for (let i = O; i < E; i++) R[at++] = D[i];`);
  out.line("else R.set(D.subarray(O, E), at);");
  out.line("return size > limit ? R.slice(0, limit) : R;");
  out.close();
  return out.toString();
}
