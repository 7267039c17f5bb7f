/**
 * The deparser as a function: valid headers in order, then the payload, into a new byte array. Where the headers take as many bytes as before,
 * the new array is a copy of the frame, or the frame itself if the switch owns it: the payload is there already, and of a header that
 * stays where the parser found it only the bytes are written that the program may change.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { PrimitiveWriter, type Resources } from "./action.js";
import { type BitPart, byteAt, chunk } from "./bits.js";
import { Emitter } from "./emitter.js";
import { phv } from "./expression.js";
import type { Changes, HeaderSlot } from "./layout.js";
import type { Loads } from "./loads.js";

/** Maximum length of payloads that are copied in a loop, which is faster than a view for `set`. */
const SHORT_COPY = 64;

function partOf(header: HeaderSlot): BitPart[] {
  return header.fields.map((field) => ({
    words: Array.from({ length: field.words }, (_, i) => phv(field.at + i)),
    width: field.width,
  }));
}

/** Numbers of the bytes of a header that the program may change, if the header stays where the parser found it. */
function changedBytes(header: HeaderSlot, { fields, headers }: Changes): number[] {
  const bytes = Array.from({ length: header.fixedBits >> 3 }, (_, i) => i);
  if (headers.has(header)) return bytes;
  let bit = 0;
  const ranges: [number, number][] = [];
  for (const field of header.fields) {
    if (fields.has(field.at)) ranges.push([bit >> 3, (bit + field.width - 1) >> 3]);
    bit += field.width;
  }
  return bytes.filter((byte) => ranges.some(([first, last]) => first <= byte && byte <= last));
}

/** Whether the fields have a byte of a header; otherwise it is in the frame alone. */
function bytesHere(header: HeaderSlot, loads: Loads | undefined): (byte: number) => boolean {
  const absent = new Set<number>();
  let bit = 0;
  for (const field of header.fields) {
    if (loads?.has(field) === false)
      for (let i = bit >> 3; i <= (bit + field.width - 1) >> 3; i++) absent.add(i);
    bit += field.width;
  }
  return (byte) => !absent.has(byte);
}

/** `function NAME(s, limit)`: the frame, at most `limit` bytes of it. */
export function writeDeparser(
  deparser: Pick<bmv2.Bmv2Deparser, "order" | "primitives">,
  resources: Resources,
  name = "deparse",
): string {
  const out = new Emitter();
  const headers = deparser.order.map((name) => defined(resources.layout.headers.get(name)));
  out.open(`function ${name}(s, limit)`);
  out.line("const P = s.phv, D = s.frame, O = s.start, E = s.end;");
  const primitives = new PrimitiveWriter(out, resources);
  for (const primitive of deparser.primitives ?? []) primitives.write(primitive);
  const { loads } = resources;
  const isPart = (header: HeaderSlot): boolean => loads?.isWhole(header) === false;
  // A header of which some bytes are only in the frame must not move within it.
  const moves = headers.some(isPart);
  out.line("const rest = E - O;");
  out.line("let size = rest;");
  if (moves) out.line("let moved = false;");
  for (const header of headers) {
    const fixed = header.fixedBits >> 3;
    const more = header.varbit === undefined ? "" : ` + (P[${header.varbit.at}] >> 3)`;
    const look = isPart(header) ? `if (P[${header.place}] !== size - rest) moved = true; ` : "";
    out.line(`if (P[${header.valid}] === 1) { ${look}size += ${fixed}${more}; }`);
  }
  out.line("const stays = size === D.length && E === size && size <= limit;");
  const own = moves ? "s.ownsFrame && !moved" : "s.ownsFrame";
  out.line(`const R = stays ? (${own} ? D : copyFrame(D)) : newFrame(size);`);
  out.line("let at = 0;");
  for (const header of headers) {
    out.open(`if (P[${header.valid}] === 1)`);
    if (header.varbit === undefined) {
      const parts = partOf(header);
      const bytes = header.fixedBits >> 3;
      const changed = changedBytes(header, resources.layout.changes);
      const isHere = bytesHere(header, loads);
      const put = (i: number): void => {
        const byte = isHere(i) ? chunk(parts, 8 * i, 8, true) : byteAt("D", `P[${header.place}]`, i);
        out.line(`${byteAt("R", "at", i)} = ${byte};`);
      };
      if (header.place < 0 || changed.length === bytes) for (let i = 0; i < bytes; i++) put(i);
      else {
        out.open(`if (stays && P[${header.place}] === at)`);
        for (const i of changed) put(i);
        out.otherwise();
        for (let i = 0; i < bytes; i++) put(i);
        out.close();
      }
      out.line(`at += ${bytes};`);
    } else {
      // `putBits` adds bits to zeros; a frame whose headers stay still has the old ones.
      const more = ` + (P[${header.varbit.at}] >> 3)`;
      out.line(`if (stays) R.fill(0, at, at + ${header.fixedBits >> 3}${more});`);
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
  out.line("if (stays) return R;");
  out.line(`if (E - O <= ${SHORT_COPY}) for (let i = O; i < E; i++) R[at++] = D[i];`);
  out.line("else R.set(D.subarray(O, E), at);");
  out.line("return size > limit ? R.slice(0, limit) : R;");
  out.close();
  return out.toString();
}
