/** What the containers that the compiler chooses before it places tables say about the stages of these: zeros, and values in one byte. */
import { describe, expect, it } from "vitest";
import { tnaSource } from "./programs.js";
import { fitTna } from "./tna-fit.js";

const idIn = ({ problem }: ReturnType<typeof fitTna>, name: string) =>
  problem.model.units.find(({ label }) => label.split(".").at(-1) === name)!.id;

describe("a table that gives a value its zero", () => {
  /** The fields for which `give` waits, which sets a value after a chain of tables; the program sets the value to `first` before anything else. */
  const waitsFor = (first: string) => {
    const values = [0, 1, 2, 3].map(
      (g) => `bit<32> v${g}; action set${g}(bit<32> a) { v${g} = a; }
        table in${g} { key = { link : exact; } actions = { set${g}; } size = 16; }
        action mark${g}(bit<16> a) { link = a; }
        table out${g} { key = { v${g} : exact; } actions = { mark${g}; } size = 16; }`,
    );
    const applies = [0, 1, 2, 3].map((g) => `in${g}.apply(); out${g}.apply();`);
    const result = fitTna(
      tnaSource({
        ingress: `bit<16> link; bit<32> late; action set_late(bit<32> a) { late = a; }
          table give { key = { hdr.d.a : exact; } actions = { set_late; } size = 16; }
          action use_late() { hdr.d.c = late; } ${values.join("\n")}`,
        apply: `tm.ucast_egress_port = 1; link = hdr.d.i; ${first} ${applies.join(" ")}
          if (link == 3) { give.apply(); } use_late(); hdr.d.t = link;`,
      }),
    );
    const { incoming } = result.problem.graph;
    const names = incoming[idIn(result, "give")]!.flatMap(({ field }) => field?.split(".").at(-1) ?? []);
    return [...new Set(names)].sort();
  };

  it("is before the tables that set the value, which has the place of another one", () => {
    expect(waitsFor("late = 0;")).toEqual(["late"]);
    expect(waitsFor("")).toEqual([]);
  });
});

describe("bits of validity that are copied", () => {
  /** Tables that set a bit of validity and the kind of drop need two stages. */
  const areApart = (statement: string) => {
    const result = fitTna(
      tnaSource({
        headers: ["x", "y"],
        parser: "pkt.extract(hdr.x); transition accept; }",
        ingress: `action change() { ${statement} }
          table one { key = { hdr.d.a : exact; } actions = { change; NoAction; } size = 16; }
          action discard() { dprsr.drop_ctl = 1; }
          table two { key = { hdr.d.b : exact; } actions = { discard; NoAction; } size = 16; }`,
        apply: "tm.ucast_egress_port = 1; one.apply(); two.apply();",
      }),
    );
    return result.problem.conflicts[idIn(result, "one")]!.has(idIn(result, "two"));
  };

  it("stand in the byte of the small values for the deparser, others in a list of their own", () => {
    expect(areApart("hdr.y = hdr.x;")).toBe(true);
    expect(areApart("hdr.y.setValid(); hdr.y.v = hdr.x.v;")).toBe(false);
  });
});
