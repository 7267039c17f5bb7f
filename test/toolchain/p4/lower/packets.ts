/**
 * What a packet comes out with: programs whose header `io` has the bytes `a`, `b` and the 16 bits `w`. The packets begin with 05 03 0102.
 */
import { fromHex, toHex } from "../../../../src/base/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { compileParts, type Parts } from "./v1model.js";

export const IO = "header io_t { bit<8> a; bit<8> b; bit<16> w; }";

/** The first bytes of the packet that a program makes of 05 03 0102 and what follows; undefined: dropped. */
export function answer(parts: Parts, more = "1122334455667788"): string | undefined {
  const { program } = compileParts({
    states: "state start { pkt.extract(hdr.io); transition accept; }",
    deparser: "pkt.emit(hdr);",
    ...parts,
    top: `${IO} ${parts.top ?? ""}`,
    headers: `io_t io; ${parts.headers ?? ""}`,
  });
  let out: string | undefined;
  const device = new Switch(program, {
    clock: { now: () => 0, at: () => () => undefined },
    transmit: (_, frame) => {
      out = toHex(frame);
    },
  });
  device.receive(1, fromHex(`05030102${more}`)!);
  return out;
}

/** a, b and w after statements of the ingress. */
export function values(ingress: string, parts: Parts = {}): [number, number, number] {
  const hex = answer({ ...parts, ingress })!;
  return [0, 2, 4].map((at, i) => Number.parseInt(hex.slice(at, at + (i === 2 ? 4 : 2)), 16)) as [
    number,
    number,
    number,
  ];
}
