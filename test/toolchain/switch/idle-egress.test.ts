/** An egress of a Tofino that changes nothing is passed by; packets leave as with the code that traces, which never passes it by. */
import { describe, expect, it } from "vitest";
import { Diagnostics, Random, SourceFile, toHex } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { specialise } from "../../../src/toolchain/switch/codegen/program.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { type TnaParts, tna } from "../p4/architectures/tna.js";

const STATES = "state next { pkt.extract(hdr.h); transition accept; }";
const BASE: TnaParts = { states: STATES, ingress: "tm.ucast_egress_port = hdr.h.port;" };
const READS_PACKET = "state start { pkt.extract(eg); transition more; } state more { pkt.extract(hdr.h);";

function programOf(text: string) {
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("idle.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return compiled!.program;
}

const plain = tna(BASE);
const CASES: readonly (readonly [name: string, text: string, idle: boolean])[] = [
  ["does nothing", plain, true],
  ["drops", tna({ ...BASE, egress: "if (eg.egress_port == 7) dprsr.drop_ctl = 1;" }), false],
  ["makes a header", tna({ ...BASE, egress: "hdr.k.setValid(); hdr.k.a = 5;" }), false],
  ["reads the packet", plain.replace("state start { pkt.extract(eg);", READS_PACKET), false],
  ["takes bytes away", plain.replace("pkt.extract(eg);", "pkt.extract(eg); pkt.advance(16);"), false],
];

describe.each(CASES)("an egress that %s", (_name, text, idle) => {
  const program = programOf(text);

  it(`is ${idle ? "" : "not "}passed by`, () => {
    expect(specialise(program.bmv2).code.stages[1]!.isIdle).toBe(idle);
    expect(specialise(program.bmv2, "traced").code.stages[1]!.isIdle).toBe(false);
  });

  it("sends what it sends when it is traced", () => {
    const sent: string[][] = [[], []];
    const devices = sent.map(
      (list, i) =>
        new Switch(program, {
          clock: { now: () => 0, at: () => () => {} },
          transmit: (port, frame) => list.push(`${port} ${toHex(frame)}`),
          ...(i === 0 ? {} : { trace: () => {} }),
        }),
    );
    const random = new Random(1);
    for (let i = 0; i < 200; i++) {
      const frame = Uint8Array.from({ length: 6 + random.int(30) }, () => random.int(256));
      frame[4] = 0;
      frame[5] = random.int(60);
      for (const device of devices) device.receive(0, frame);
    }
    expect(sent[0]!.length).toBeGreaterThan(150);
    expect(sent[0]).toEqual(sent[1]);
  });
});
