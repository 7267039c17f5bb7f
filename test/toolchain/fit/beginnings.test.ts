/** Where a value of metadata begins that has the container of another one after it: by dependencies alone, and by the tables that give it a zero. */
import { describe, expect, it } from "vitest";
import { Apart } from "../../../src/toolchain/fit/phv/apart.js";
import { Beginnings } from "../../../src/toolchain/fit/phv/beginnings.js";
import { Dominators } from "../../../src/toolchain/fit/phv/dominators.js";
import { useOf } from "../../../src/toolchain/fit/phv/gress-use.js";
import { Lifetimes } from "../../../src/toolchain/fit/phv/lifetimes.js";
import { tnaSource } from "./programs.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

interface Changes {
  /** Metadata begins as zero. */
  zero?: boolean;
  /** Before the tables, between the pairs of tables, and after them. */
  before?: string;
  between?: string;
  after?: string;
  locals?: string;
  pragma?: string;
  /** Actions of the table that sets a value beside that which sets it. */
  others?: string;
}

/** Four values, each of which a table sets and the next one matches on: eight tables, each of which needs the one before. */
function beginningsOf({
  zero = false,
  before = "",
  between = "",
  after = "",
  locals = "",
  pragma = "",
  others = "",
}: Changes) {
  const values = [0, 1, 2, 3].map(
    (g) => `bit<32> v${g}; action set${g}(bit<32> a) { v${g} = a; }
      ${pragma} table in${g} { key = { link : exact; } actions = { set${g}; ${others} } size = 16; }
      action mark${g}(bit<16> a) { link = a; }
      ${pragma} table out${g} { key = { v${g} : exact; } actions = { mark${g}; } size = 16; }`,
  );
  const applies = [0, 1, 2, 3].map((g) => `in${g}.apply(); out${g}.apply(); ${g === 1 ? between : ""}`);
  const result = fitTna(
    tnaSource({
      controls: zero ? "@pa_auto_init_metadata" : "",
      ingress: `bit<16> link; ${locals} ${values.join("\n")}`,
      apply: `tm.ucast_egress_port = 1; link = hdr.d.i; ${before} ${applies.join(" ")} hdr.d.t = link; ${after}`,
    }),
  );
  const { model } = result;
  const input = allocationInputOf(result);
  const use = useOf(model, result.target, "ingress");
  const lifetimes = new Lifetimes(input, "ingress");
  const beginnings = new Beginnings(
    input,
    "ingress",
    new Apart(model, use),
    lifetimes,
    new Dominators(model, "ingress", true),
  );
  const full = (name: string) => [...model.fields.keys()].find((field) => field.endsWith(`.${name}`)) ?? name;
  const named = (id: number) => model.units[id]!.label.split(".").at(-1)!;
  return {
    comesBefore: (early: string, later: string) => beginnings.comesBefore(full(early), full(later)),
    /** The tables that give `later` its zero after the others. */
    of: (later: string, earlies: readonly string[], beside: readonly string[] = []) =>
      beginnings
        .of({ field: full(later), lo: 0, width: 32 }, earlies.map(full), beside.map(full))
        ?.map(named),
    movesValues: beginnings.movesValues,
  };
}

describe("a value that is over before another one begins", () => {
  it("is in an earlier stage by dependencies, right before where P4 leaves open what nothing wrote", () => {
    const { comesBefore, movesValues } = beginningsOf({});
    expect(movesValues).toBe(false);
    const pairs = [0, 1, 2, 3].map((a) => [0, 1, 2, 3].map((b) => comesBefore(`v${a}`, `v${b}`)));
    expect(pairs).toEqual([
      [false, true, true, true],
      [false, false, true, true],
      [false, false, false, true],
      [false, false, false, false],
    ]);
  });

  it("is more than two stages before where metadata begins as zero", () => {
    const { comesBefore } = beginningsOf({ zero: true });
    const pairs = [0, 1, 2, 3].map((a) => [0, 1, 2, 3].map((b) => comesBefore(`v${a}`, `v${b}`)));
    // Of the next one the table is a stage behind the last reader.
    expect(pairs).toEqual([
      [false, false, true, true],
      [false, false, false, true],
      [false, false, false, false],
      [false, false, false, false],
    ]);
  });

  it("is more than two stages before a value that the program sets to zero first", () => {
    const { comesBefore } = beginningsOf({ before: "v2 = 0;" });
    expect(comesBefore("v1", "v2")).toBe(false);
    expect(comesBefore("v0", "v2")).toBe(true);
    // P4 leaves open what nothing wrote.
    expect(comesBefore("v0", "v1")).toBe(true);
  });

  it("is not two stages before, as a step more between two values shows", () => {
    const { comesBefore } = beginningsOf({ zero: true, between: "link = link + 1;" });
    expect(comesBefore("v1", "v2")).toBe(false);
    expect(comesBefore("v0", "v2")).toBe(true);
    const further = beginningsOf({ zero: true, between: "link = link + 1; link = link + hdr.d.i;" });
    expect(further.comesBefore("v1", "v2")).toBe(true);
  });

  it("is not there behind what is sent, however early that is set", () => {
    const { comesBefore } = beginningsOf({
      before: "hdr.d.c = 7;",
      after: "if (link == 3) { dprsr.drop_ctl = 1; }",
    });
    // The kind of drop is set at the end.
    expect(comesBefore("v0", "drop_ctl")).toBe(true);
    expect(comesBefore("c", "v3")).toBe(false);
    expect(comesBefore("v0", "v3")).toBe(true);
  });

  it("is not there for what the parser or the architecture gives, nor for what lives to the deparser", () => {
    const { comesBefore } = beginningsOf({});
    expect(comesBefore("v0", "a")).toBe(false);
    expect(comesBefore("v0", "ucast_egress_port")).toBe(false);
    // The header's field is sent.
    expect(comesBefore("t", "v3")).toBe(false);
    expect(comesBefore("v0", "nothing")).toBe(false);
  });
});

describe("the tables that give a value its zero", () => {
  it("are none where every packet that reads it has it written before, or P4 leaves it open", () => {
    const { of } = beginningsOf({});
    expect(of("v1", ["v0"])).toEqual([]);
    expect(of("v3", ["v0", "v1"])).toEqual([]);
  });

  it("are one between the last use of the one and the first of the other", () => {
    const { of } = beginningsOf({ zero: true });
    const [table, ...more] = of("v2", ["v0"])!;
    expect(more).toEqual([]);
    expect(["out0", "in1", "out1", "in2"]).toContain(table);
    expect(of("v3", ["v0", "v1"])).toHaveLength(1);
    // The same answer again, in whatever order the others stand.
    expect(of("v3", ["v1", "v0"])).toEqual(of("v3", ["v0", "v1"]));
  });

  it("are none to be found where the other one is used later, or by no table before", () => {
    for (const zero of [false, true]) {
      const { of } = beginningsOf({ zero });
      expect(of("v0", ["v2"])).toBeUndefined();
      expect(of("v2", ["v0", "v3"])).toBeUndefined();
    }
  });

  it("do not write what stands beside the value", () => {
    const free = beginningsOf({ zero: true });
    const [table] = free.of("v2", ["v0"])!;
    // What the table itself writes is beside: another one does, or none.
    const beside = { out0: "link", out1: "link", in1: "v1", in2: "v2" }[table!]!;
    expect(free.of("v2", ["v0"], [beside])).not.toEqual([table]);
  });

  it("are not those of which a pragma says that they write no zeros", () => {
    const { of } = beginningsOf({ zero: true, pragma: "@no_field_initialization" });
    expect(of("v2", ["v0"])).toBeUndefined();
  });

  it("do not hash", () => {
    const locals =
      "Hash<bit<32>>(HashAlgorithm_t.CRC32) crc; bit<32> w; action mix() { hdr.d.b = crc.get({ hdr.d.a }); }";
    const { of } = beginningsOf({ zero: true, locals, others: "mix;" });
    const tables = of("v2", ["v0"]);
    for (const table of tables ?? []) expect(table).not.toMatch(/^in/);
  });
});
