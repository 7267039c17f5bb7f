/** A table applied in several places, run in the switch: each place goes its own way afterwards. */
import { expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { compileParts, type Parts, tryCompile, v1model } from "../lower/v1model.js";

const parts: Parts = {
  top: "header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }",
  headers: "h_t h;",
  states: "state start { pkt.extract(hdr.h); transition accept; }",
  locals: `action add(bit<8> n) { hdr.h.b = hdr.h.b + n; }
    table t {
      key = { hdr.h.a : exact; }
      actions = { add; NoAction; }
      const entries = { 1 : add(1); 2 : add(2); 3 : add(30); }
    }`,
  deparser: "pkt.emit(hdr.h);",
};

function send(ingress: string, hex: string): string {
  const { program } = compileParts({ ...parts, ingress });
  let answer = "";
  const node = new Switch(program, {
    clock: { now: () => 0, at: () => () => undefined },
    transmit: (_, frame) => {
      answer = toHex(frame);
    },
  });
  node.receive(0, fromHex(hex)!);
  return answer;
}

it("with and without a look at the outcome, one after the other and in a loop", () => {
  const ingress = `if (t.apply().hit) { hdr.h.c = 7; hdr.h.a = hdr.h.a + 1; } else { hdr.h.c = 9; }
    t.apply();
    hdr.h.d = hdr.h.d + 1;
    for (bit<8> i = 0; i < hdr.h.d; i = i + 1) {
      if (t.apply().miss) { break; }
      hdr.h.a = hdr.h.a + 1;
    }`;
  expect(send(ingress, "01000002")).toBe("04230703");
  expect(send(ingress, "09000002")).toBe("09000903");
});

it("with a switch on the action", () => {
  const ingress = `if (hdr.h.d == 0) {
      switch (t.apply().action_run) { add: { hdr.h.c = 1; } default: { hdr.h.c = 2; } }
    } else {
      t.apply();
      hdr.h.c = 3;
    }`;
  expect(send(ingress, "01000000")).toBe("01010100");
  expect(send(ingress, "07000000")).toBe("07000200");
  expect(send(ingress, "01000005")).toBe("01010305");
});

it("keeps one way where all places have the same continuation", () => {
  const { program } = compileParts({
    ...parts,
    ingress: "if (hdr.h.d == 0) { t.apply(); } else { hdr.h.c = 3; t.apply(); }",
  });
  const [ingress] = program.bmv2.pipelines;
  expect(ingress!.tables.filter((table) => table.name === "I.t").length).toBe(1);
  expect(ingress!.conditionals.length).toBe(1);
});

it("refuses both hit and action of one table", () => {
  const ingress = `if (t.apply().hit) { hdr.h.c = 1; }
    switch (t.apply().action_run) { add: { hdr.h.c = 2; } }`;
  expect(tryCompile(v1model({ ...parts, ingress })).codes).toEqual(["P40517"]);
});
