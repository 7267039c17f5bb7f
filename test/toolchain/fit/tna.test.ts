/** Programs for TNA: calls of stateful ALUs, the smaller of two values, what deparsers read, pipes. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";

function programOf(parts: TnaParts) {
  const diagnostics = new Diagnostics();
  const made = compile({ file: tnaSource(parts), form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  return made!.program;
}

function fitOf(parts: TnaParts, target = "tofino") {
  const program = programOf(parts);
  return fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget(target));
}

const messages = (result: ReturnType<typeof fitOf>) =>
  result.diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);

const register = (name: string, cell: string, method: string) => `
    Register<${cell}, bit<16>>(1024) ${name};
    RegisterAction<${cell}, bit<16>, bit<32>>(${name}) ${name}_update = {
        void apply(inout ${cell} cell, out bit<32> result) { ${method} }
    };`;

describe("a call of a register action", () => {
  const limited = "if (cell < hdr.d.b) { cell = cell + 1; } else { cell = 0; } result = cell;";

  it("is one visit of one ALU, whatever its method decides", () => {
    const result = fitOf({
      ingress: register("r", "bit<32>", limited),
      apply: "hdr.d.a = r_update.execute(hdr.d.i);",
    });
    expect(messages(result)).toEqual([]);
    expect([result.verdict, result.stages]).toEqual(["placed", 1]);
    expect(result.placement.stages[0]).toMatchObject({ meter_alus: 1, logical_tables: 1 });
  });

  it("may have cells of two words", () => {
    const pair = register("r", "pair_t", "cell.lo = cell.lo + 1; result = cell.hi;");
    const ok = fitOf({ ingress: pair, apply: "hdr.d.a = r_update.execute(hdr.d.i);" });
    expect([ok.verdict, ok.stages]).toEqual(["placed", 1]);
  });

  it("needs the stage after the one that computes its index or an operand, and gives its result to the next one", () => {
    const stagesOf = (apply: string) => fitOf({ ingress: register("r", "bit<32>", limited), apply }).stages;
    expect(stagesOf("hdr.d.i = hdr.d.t + 1; hdr.d.a = r_update.execute(hdr.d.i);")).toBe(2);
    expect(stagesOf("hdr.d.b = hdr.d.c + 1; hdr.d.a = r_update.execute(hdr.d.i);")).toBe(2);
    expect(stagesOf("hdr.d.c = hdr.d.c + 1; hdr.d.a = r_update.execute(hdr.d.i);")).toBe(1);
    expect(stagesOf("hdr.d.a = r_update.execute(hdr.d.i); hdr.d.c = hdr.d.a + 1;")).toBe(2);
  });

  it("takes of a value the bits that its method reads", () => {
    const operandsOf = (method: string) =>
      fitOf({
        ingress: register("r", "bit<32>", method),
        apply: "hdr.d.a = r_update.execute(hdr.d.i);",
      }).model.units.flatMap(({ attached }) => attached.flatMap(({ operands }) => operands));
    const bits = (lo: number, width: number) => [{ field: "hdr.d.b", lo, width }];
    expect(operandsOf("cell = (bit<32>) hdr.d.b[23:8]; result = cell;")).toEqual(bits(8, 16));
    expect(operandsOf("cell = (bit<32>) (bit<8>) hdr.d.b; result = cell;")).toEqual(bits(0, 8));
    expect(operandsOf("if (hdr.d.b[7:0] == 3) { cell = hdr.d.b; } result = cell;")).toEqual(bits(0, 32));
  });

  it("stands once on the path of a packet", () => {
    const table = (name: string) => `
    action ${name}_do() { md.m = r_update.execute(hdr.d.i); }
    table ${name} { key = { hdr.d.${name} : exact; } actions = { ${name}_do; } size = 16; }`;
    const ingress = register("r", "bit<32>", limited) + table("a") + table("b");
    const use = " hdr.d.c = md.m;";
    // As the compiler does, which does not compare their entries.
    const findings = (apply: string) =>
      fitOf({ ingress, apply }).diagnostics.map(({ severity, code }) => `${severity} ${code}`);
    expect(findings(`a.apply(); b.apply();${use}`)).toEqual(["warning P44015"]);
    expect(findings(`if (hdr.d.t == 0) { a.apply(); } else { b.apply(); }${use}`)).toEqual([]);
  });

  it("gives its result to an instruction of its own action in the same stage", () => {
    const stagesOf = (statements: string) => {
      const ingress = `${register("r", "bit<32>", limited)} action go() { ${statements} }`;
      const result = fitOf({ ingress, apply: "go();" });
      return [messages(result), result.stages];
    };
    expect(stagesOf("hdr.d.a = hdr.d.c + r_update.execute(hdr.d.i);")).toEqual([[], 1]);
    expect(stagesOf("hdr.d.a = hdr.d.c - r_update.execute(hdr.d.i);")).toEqual([[], 1]);
    // The other operand, or the result, is one instruction more.
    expect(stagesOf("hdr.d.c = hdr.d.c + 1; hdr.d.a = hdr.d.c + r_update.execute(hdr.d.i);")[1]).toBe(2);
    expect(stagesOf("hdr.d.a = hdr.d.c + r_update.execute(hdr.d.i); hdr.d.t = hdr.d.a[15:0];")[1]).toBe(2);
    // Statements of a control are a table each.
    const bare = fitOf({
      ingress: register("r", "bit<32>", limited),
      apply: "hdr.d.a = hdr.d.c + r_update.execute(hdr.d.i);",
    });
    expect(bare.stages).toBe(2);
  });

  describe("as a statement of a control, twice", () => {
    const results = (apply: string) => {
      const result = fitOf({ ingress: register("r", "bit<32>", limited), apply });
      return {
        findings: result.diagnostics.map(({ severity, code }) => `${severity} ${code}`),
        verdict: result.verdict,
        tables: result.placement.parts.map(({ unit, stage }) => [unit.kind, stage]),
        stages: result.placement.stages.map(({ meter_alus, logical_tables }) => [meter_alus, logical_tables]),
      };
    };
    const call = "md.m = r_update.execute(hdr.d.i);";
    const other = "hdr.d.c = r_update.execute(hdr.d.i);";

    it("takes two tables of one stage and one ALU, with a warning, as the compiler takes it", () => {
      // The compiler makes an action of each statement with an extern, so an action has one call.
      const { findings, verdict, stages } = results(`${call} ${other} hdr.d.a = md.m;`);
      expect([findings, verdict, stages[0]]).toEqual([["warning P44015"], "placed", [1, 2]]);
    });

    it("may have two indexes: each table has its own address", () => {
      const { findings, verdict } = results(`${call} hdr.d.c = r_update.execute(hdr.d.t); hdr.d.a = md.m;`);
      expect([findings, verdict]).toEqual([["warning P44015"], "placed"]);
    });

    it("needs no warning in exclusive branches", () => {
      const { findings } = results(`if (hdr.d.t == 0) { ${call} } else { ${other} } hdr.d.a = md.m;`);
      expect(findings).toEqual([]);
    });

    it("is refused in one action, which has one address", () => {
      const ingress = `${register("r", "bit<32>", limited)} action go() { ${call} ${other} }`;
      expect(() => fitOf({ ingress, apply: "go(); hdr.d.a = md.m;" })).toThrow("r");
    });
  });
});

it("takes the smaller of two values as one instruction, and no product", () => {
  const least = fitOf({ apply: "hdr.d.a = min(hdr.d.b, hdr.d.c);" });
  expect([messages(least), least.stages]).toEqual([[], 1]);
  expect(messages(fitOf({ apply: "hdr.d.a = hdr.d.b * hdr.d.c;" })).join()).toContain(
    "there is no multiplier",
  );
});

it("takes an inverted exclusive or as one instruction, an inverted conjunction as two", () => {
  expect(messages(fitOf({ apply: "hdr.d.a = ~(hdr.d.b ^ hdr.d.c);" }))).toEqual([]);
  expect(messages(fitOf({ apply: "hdr.d.a = ~(hdr.d.b & hdr.d.c);" })).join()).toContain(
    "takes 2 instructions",
  );
});

it("keeps what only the deparser or the traffic manager reads", () => {
  const stages = (parts: TnaParts) => fitOf(parts).stages;
  const apply = "hdr.d.a = hdr.d.b + 1; md.session = hdr.d.a[9:0];";
  expect(stages({ apply })).toBe(1);
  expect(
    stages({ apply, deparser: "if (dprsr.mirror_type == 1) { mirror.emit<d_h>(md.session, hdr.d); }" }),
  ).toBe(2);
  expect(stages({ apply: "hdr.d.a = hdr.d.b + 1; tm.ucast_egress_port = hdr.d.a[8:0];" })).toBe(2);
});

it("places a chain of else-ifs whose branches share a counter in one stage", () => {
  const counts = [1, 2, 3, 4, 5].map((n) => `if (hdr.d.t == ${n}) { kinds.count(${n}); } else `).join("");
  const result = fitOf({
    ingress: "Counter<bit<32>, bit<3>>(8, CounterType_t.PACKETS) kinds;",
    apply: `${counts}{ kinds.count(0); }`,
  });
  expect([result.verdict, result.stages]).toEqual(["placed", 1]);
});

describe("a counter's cells in a word", () => {
  const mapRams = (type: string, kind: string) => {
    const { placement } = fitOf({
      ingress: `DirectCounter<${type}>(CounterType_t.${kind}) hits;
      action hit() { hits.count(); }
      table t { key = { hdr.d.a : exact; } actions = { hit; } counters = hits; size = 28672; }`,
      apply: "t.apply();",
    });
    return placement.parts.reduce((sum, { layout }) => sum + layout.mapRams, 0);
  };

  // p4c, backends/tofino/bf-p4c/mau/resource_estimate.cpp; a spare beside them.
  it.each([
    ["bit<32>", "BYTES", 4],
    ["bit<33>", "BYTES", 2],
    ["bit<32>", "PACKETS", 4],
    ["bit<64>", "PACKETS", 2],
    ["bit<36>", "PACKETS_AND_BYTES", 2],
    ["bit<37>", "PACKETS_AND_BYTES", 1],
    ["bit<64>", "PACKETS_AND_BYTES", 1],
    ["bit<72>", "PACKETS", 2],
    ["bit<72>", "PACKETS_AND_BYTES", 1],
  ])("of %s and %s are %i", (type, kind, perWord) => {
    // Four ways of seven entries in two blocks.
    const entries = 4 * 7 * 1024;
    expect(mapRams(type, kind)).toBe(entries / 1024 / perWord + 1);
  });
});

it.each([
  ["Counter<bit<8>, bit<4>>", "", 8],
  ["Counter<bit<64>, bit<4>>", "", 64],
  // A cell is a number of at most 64 bits (BF Runtime, $COUNTER_SPEC_PKTS): more says nothing.
  ["Counter<bit<65>, bit<4>>", "", undefined],
  ["Counter<bit<128>, bit<4>>", "", undefined],
])("states the bits of %s cells up to 64", (type, annotation, bits) => {
  const { bmv2 } = programOf({
    ingress: `${annotation} ${type}(16, CounterType_t.PACKETS) c;`,
    apply: "c.count(1);",
  });
  expect(bmv2.counter_arrays!.map((one) => (one as { bitwidth?: number }).bitwidth)).toEqual([bits]);
});

it("gives a meter's answer to the packet without a choice", () => {
  const result = fitOf({
    ingress: `Meter<bit<8>>(16, MeterType_t.BYTES) m;
    action police() { md.m = (bit<32>) m.execute(hdr.d.i[7:0]); }
    table t { key = { hdr.d.t : exact; } actions = { police; } size = 16; }`,
    apply: "t.apply(); hdr.d.c = md.m;",
  });
  expect([messages(result), result.verdict]).toEqual([[], "placed"]);
});

describe("pipes", () => {
  it("are named by the program, and fitted one at a time", () => {
    const program = programOf({ apply: "hdr.d.a = hdr.d.b + 1;", pipes: ["left", "right"] });
    expect(pipesOf(program)).toEqual(["left", "right"]);
    for (const name of pipesOf(program))
      expect(fitProgram(onePipe(program, name), loadTarget("tofino")).stages).toBe(1);
    expect(() => onePipe(program, "middle")).toThrow(RangeError);
  });

  it("have no names in v1model", () => {
    const made = compile({ file: "#include <core.p4>\n" }, new Diagnostics());
    expect(made).toBeUndefined();
    expect(pipesOf({ bmv2: {} as never, p4info: {} as never })).toEqual([]);
  });
});

describe("the result of a register action", () => {
  const [first, second] = [
    register("r", "bit<32>", "cell = cell + 1; result = cell;"),
    register("s", "bit<32>", "if (md.m == 1) { cell = cell + 1; } result = cell;"),
  ];
  const ingress = first + second;

  it("is there a stage later also for a second action of the same block", () => {
    const both = "md.m = r_update.execute(hdr.d.i); hdr.d.c = s_update.execute(hdr.d.t);";
    expect(fitOf({ ingress, apply: both }).stages).toBe(2);
    const apart = "hdr.d.b = r_update.execute(hdr.d.i); hdr.d.c = s_update.execute(hdr.d.t);";
    expect(fitOf({ ingress, apply: apart }).stages).toBe(1);
  });

  it("waits for a flag of the packet that its method tests", () => {
    const flagged = register("f", "bit<32>", "if (up) { cell = cell + 1; } result = cell;");
    const parts = { ingress: `bool up = false; ${flagged}` };
    const apply = "if (hdr.d.t == 3) { up = true; } hdr.d.a = f_update.execute(hdr.d.i);";
    expect(fitOf({ ...parts, apply }).stages).toBe(2);
  });
});

describe("the operands of a register action", () => {
  /** Another field in each case. */
  const cases = (fields: readonly string[]) =>
    fields
      .map((field, i) => `${i < fields.length - 1 ? `if (cell == ${i}) ` : ""}{ cell = cell + ${field}; }`)
      .join(" else ");
  const sum = (...fields: string[]) =>
    fitOf({
      ingress: register("r", "bit<32>", `${cases(fields)} result = cell;`),
      apply: "hdr.d.a = r_update.execute(hdr.d.i);",
    });

  it("are two words of the packet", () => {
    expect(messages(sum("hdr.d.b", "hdr.d.c"))).toEqual([]);
    expect(messages(sum("hdr.d.b", "hdr.d.c", "hdr.d.a")).join()).toContain(
      "the update of register pipe.In.r has 3 packet fields: hdr.d.b, hdr.d.c, hdr.d.a",
    );
    expect(messages(sum("hdr.d.b", "hdr.d.b", "hdr.d.b"))).toEqual([]);
  });
});

describe("calls of one register in exclusive branches", () => {
  const actions = ["b", "c", "m"].map(
    (name) => `
    RegisterAction<bit<32>, bit<16>, bit<32>>(r) with_${name} = {
        void apply(inout bit<32> cell, out bit<32> result) {
            cell = cell + ${name === "m" ? "md.m" : `hdr.d.${name}`}; result = cell;
        }
    };`,
  );
  const ingress = `Register<bit<32>, bit<16>>(1024) r; ${actions.join("")}`;

  it("may work on more fields together than the ALU takes at once", () => {
    const apply = `md.m = hdr.d.a;
      if (hdr.d.t == 1) { hdr.d.a = with_b.execute(0); }
      else if (hdr.d.t == 2) { hdr.d.a = with_c.execute(0); }
      else { hdr.d.a = with_m.execute(0); md.m = hdr.d.c; }
      hdr.d.c = md.m;`;
    expect(fitOf({ ingress, apply }).verdict).toBe("placed");
  });

  it("wait for what stands before one of them in its branch", () => {
    const apply = `md.m = hdr.d.c;
      if (hdr.d.a != 0) { hdr.d.a = with_b.execute(0); }
      else { md.n = md.m; if (hdr.d.a != 1) { hdr.d.a = with_b.execute(0); md.m = hdr.d.b; } }
      hdr.d.c = md.m ^ md.n;`;
    expect(fitOf({ ingress, apply }).verdict).toBe("placed");
  });
});

describe("a branch on the result of a table", () => {
  const table = (name: string, fallback: string) => `
    action ${name}_set(bit<32> v) { hdr.d.c = v; }
    table ${name} { key = { hdr.d.${name} : exact; } actions = { ${name}_set; NoAction; } ${fallback} size = 16; }`;
  const stages = (fallback: string, apply: string) =>
    fitOf({ ingress: table("a", fallback) + table("b", ""), apply }).stages;
  const onMiss = "if (!a.apply().hit) { b.apply(); }";

  it("lets the table of a miss share the stage, as no action of a hit runs before it", () => {
    expect(stages("const default_action = NoAction();", onMiss)).toBe(1);
    expect(stages("const default_action = NoAction();", "a.apply(); b.apply();")).toBe(2);
  });

  it("counts the actions that a miss can run", () => {
    expect(stages("default_action = NoAction();", onMiss)).toBe(2);
    expect(stages("default_action = a_set(1);", onMiss)).toBe(2);
  });

  it("counts the action of its own branch alone", () => {
    const choose = (branch: string) =>
      `switch (a.apply().action_run) { ${branch} : { b.apply(); } default : { } }`;
    expect(stages("", choose("NoAction"))).toBe(1);
    expect(stages("", choose("a_set"))).toBe(2);
  });
});

describe("the validity of headers", () => {
  const headers = ["x", "y"];
  const extract = "transition select(hdr.d.t) { 1 : one; default : two; } }";
  const parser = `${extract}
    state one { pkt.extract(hdr.x); transition accept; }
    state two { pkt.extract(hdr.y); transition accept; }`;

  const bitsBeside = (
    use: ReturnType<typeof fitOf>["phv"]["tagalong"],
    of: "bits" | "bitsIngress" | "bitsEgress",
  ) => use[8][of] + use[16][of] + use[32][of];

  /** Bits of a header of type `x_h`, by its declaration. */
  const [, declared = ""] = /header x_h \{([^}]*)\}/.exec(tnaSource({})) ?? [];
  const headerBits = [...declared.matchAll(/bit<(\d+)>/g)].reduce((sum, [, bits]) => sum + Number(bits), 0);

  it("is bits of one container: two tables that take headers away need two stages", () => {
    const away = (first: string, second: string) =>
      fitOf({
        headers,
        apply: `if (hdr.d.a == 1) { hdr.${first}.setInvalid(); } if (hdr.d.b == 1) { ${second} }`,
      }).stages;
    expect(away("x", "hdr.y.setInvalid();")).toBe(2);
    expect(away("x", "hdr.d.c = 1;")).toBe(1);
  });

  it("keeps headers exclusive that a table takes away, not those that it adds", () => {
    const tagalong = (apply: string) => bitsBeside(fitOf({ headers, parser, apply }).phv.tagalong, "bits");
    const none = tagalong("if (hdr.d.a == 1) { tm.ucast_egress_port = 4; }");
    expect(tagalong("if (hdr.d.a == 1) { hdr.x.setInvalid(); }")).toBe(none);
    expect(tagalong("if (hdr.d.a == 1) { hdr.x.setValid(); }")).toBe(none + headerBits);
  });

  it("takes containers in the gress that parses or sends the header", () => {
    const { phv } = fitOf({ headers, parser });
    const none = fitOf({}).phv;
    // Ingress: one of x and y more. Egress sends them, but nothing makes them valid there.
    expect(bitsBeside(phv.tagalong, "bitsIngress")).toBe(
      bitsBeside(none.tagalong, "bitsIngress") + headerBits,
    );
    expect(bitsBeside(phv.tagalong, "bitsEgress")).toBe(0);
  });
});

describe("the checksum of a deparser", () => {
  const headers = ["x"];
  const update = "hdr.x.sum = sum.update({ hdr.x.v, hdr.x.w });";
  const tables = (deparser: string) =>
    fitOf({ headers, deparser }).placement.parts.map(({ unit }) => [unit.label, unit.key.length]);

  it("takes a table where it is updated under a condition", () => {
    expect(tables(`if (md.session == 1) { ${update} }`)).toEqual([
      ["condition of the checksum hdr.x.sum", 2],
    ]);
    expect(tables(`if (md.session == 1) { ${update} } else { if (md.n == 2) { ${update} } }`)).toEqual([
      ["condition of the checksum hdr.x.sum", 3],
    ]);
  });

  it("takes that table after all of the gress, in order, and an action of its own where the header is not valid", () => {
    const stagesOf = (names: readonly string[]) => {
      const updates = names.map(
        (name) => `if (md.session == 1) { hdr.${name}.sum = sum.update({ hdr.${name}.v, hdr.${name}.w }); }`,
      );
      const apply = "if (hdr.d.a == 1) { hdr.d.b = 1; } if (hdr.d.b == 1) { hdr.d.c = 1; }";
      const { placement } = fitOf({ headers: names, deparser: updates.join(" "), apply });
      const ofChecksums = placement.parts.filter(({ unit }) => unit.isLast);
      const rest = placement.parts.filter(({ unit }) => unit.isLast === undefined);
      return [ofChecksums, rest].map((parts) => parts.map(({ stage }) => stage));
    };
    const [one = [], before = []] = stagesOf(["x"]);
    expect(one).toEqual([Math.max(...before)]);
    // The bits of both are one container's, so that their tables need stages of their own.
    expect(stagesOf(["x", "y"])[0]).toEqual([Math.max(...before), Math.max(...before) + 1]);
    const { placement } = fitOf({ headers, deparser: `if (md.session == 1) { ${update} }` });
    expect(placement.parts.map(({ unit }) => unit.actions.map(({ writes }) => writes.length))).toEqual([
      [2, 0],
    ]);
  });

  it("takes none where it is always updated, or wherever its header is sent", () => {
    expect(tables(update)).toEqual([]);
    expect(tables(`if (hdr.x.isValid()) { ${update} }`)).toEqual([]);
  });
});

it("gives values for the deparser one validity a stage on Tofino 2", () => {
  const apply = "if (hdr.d.a == 1) { tm.ucast_egress_port = 4; } if (hdr.d.b == 1) { dprsr.drop_ctl = 1; }";
  const stages = (target: string) => fitOf({ apply }, target).stages;
  expect([stages("tofino"), stages("tofino2")]).toEqual([1, 2]);
});

it("keeps values for the deparser apart from headers that stand beyond the first 32 bits of validity", () => {
  const names = Array.from({ length: 40 }, (_, i) => `x${i}`);
  const states = names.map((name, i) => {
    const next = i + 1 < names.length ? `default : s${i + 1};` : "default : accept;";
    return `state s${i} { pkt.extract(hdr.${name}); transition select(hdr.${name}.sum) { 0 : accept; ${next} } }`;
  });
  const stages = (target: string, header: string) => {
    const apply = `if (hdr.d.a == 1) { tm.ucast_egress_port = 4; } if (hdr.d.b == 1) { hdr.${header}.setInvalid(); }`;
    return fitOf({ headers: names, parser: `transition s0; } ${states.join(" ")}`, apply }, target).stages;
  };
  expect([stages("tofino", "x1"), stages("tofino2", "x1"), stages("tofino2", "x39")]).toEqual([1, 2, 1]);
});

it("lets nothing after an action with `exit` wait for what it sets, on Tofino 1", () => {
  const action = (rest: string) => `action last() { dprsr.drop_ctl = 1; ${rest} }`;
  const apply = "if (hdr.d.a == 1) { last(); } if (hdr.d.b == 1) { dprsr.drop_ctl = 2; }";
  const stages = (rest: string) => fitOf({ ingress: action(rest), apply }).stages;
  expect([stages(""), stages("exit;")]).toEqual([2, 1]);
});

describe("`exit` on Tofino 2", () => {
  const chain = (apply: string, table = "") => {
    const ingress = `action last() { dprsr.drop_ctl = 1; exit; } ${table}`;
    const source = tnaSource({ ingress, apply });
    const of = (file: string, target: string) => {
      const { program } = compile({ file, form: "hardware" }, new Diagnostics())!;
      return fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget(target)).problem.graph
        .criticalPath;
    };
    return [of(source, "tofino"), of(source.replace("<tna.p4>", "<t2na.p4>"), "tofino2")];
  };
  const after = "if (hdr.d.b == 1) { hdr.d.c = 1; }";

  it("is a variable that what follows tests, a stage later", () => {
    expect(chain(`if (hdr.d.a == 1) { last(); } ${after}`)).toEqual([1, 2]);
    const nested = "if (hdr.d.a == 1) { if (hdr.d.i == 1) { exit; } hdr.d.i = 4; }";
    expect(chain(`${nested} ${after}`)).toEqual([1, 2]);
  });

  it("of some action of a table holds for the branches behind it, too", () => {
    const table = "table t { key = { hdr.d.a : exact; } actions = { last; NoAction; } size = 16; }";
    expect(chain(`t.apply(); ${after}`, table)).toEqual([1, 2]);
    expect(chain("if (t.apply().hit) { hdr.d.c = 1; }", table)).toEqual([1, 2]);
  });

  it("takes nothing where what follows can stand in the other branch, both branches end, or nothing follows", () => {
    expect(chain(`if (hdr.d.a == 1) { exit; } else { hdr.d.i = 4; } ${after}`)).toEqual([1, 1]);
    expect(chain(`${after} if (hdr.d.a == 1) { last(); }`)).toEqual([1, 1]);
    expect(chain(`if (hdr.d.a == 1) { hdr.d.i = 1; exit; } else { hdr.d.i = 4; exit; }`)).toEqual([1, 1]);
  });
});

describe("what the front end of the compiler removes", () => {
  const tablesOf = (parts: TnaParts) => {
    const { placement, stages } = fitOf(parts);
    return [placement.stages.reduce((sum, stage) => sum + stage.logical_tables, 0), stages];
  };
  const random = "Random<bit<8>>() rnd;";

  it("is a copy of a result: the call sets the last variable, and readers read the original", () => {
    expect(
      tablesOf({ ingress: random, apply: "bit<8> r = rnd.get(); md.n = (bit<32>) r; hdr.d.a = md.n;" }),
    ).toEqual([3, 3]);
    expect(
      tablesOf({ ingress: random, apply: "bit<8> r = rnd.get(); if (r == 4) { hdr.d.a = 1; }" }),
    ).toEqual([2, 2]);
    expect(
      tablesOf({
        apply: "bit<16> i = hdr.d.i; if (hdr.d.a == 1) { hdr.d.b = 2; } if (i == 3) { hdr.d.c = 1; }",
      }),
    ).toEqual([2, 1]);
  });

  it("keeps the copy where its source changes first", () => {
    expect(tablesOf({ apply: "bit<16> i = hdr.d.i; hdr.d.i = 7; if (i == 3) { hdr.d.c = 1; }" })[1]).toBe(2);
  });

  it("is a value that is overwritten, or feeds only itself", () => {
    const keeps = "hdr.d.a = md.n;";
    expect(
      tablesOf({
        apply: `md.n = 1; if (hdr.d.i == 2) { md.n = hdr.d.b; } else { md.n = hdr.d.c; } ${keeps}`,
      }),
    ).toEqual([3, 2]);
    expect(tablesOf({ apply: `md.n = 1; if (hdr.d.i == 2) { md.n = hdr.d.b; } ${keeps}` })).toEqual([3, 3]);
    // The back end, which removes these, leaves their conditions.
    expect(
      tablesOf({ apply: "if (hdr.d.i == 2) { md.m = md.m + 14; } if (hdr.d.t == 2) { md.m = md.m + 4; }" }),
    ).toEqual([2, 1]);
  });

  it("is what only a parser sets, too", () => {
    const parser = "md.m = hdr.d.a; transition accept; }";
    expect(tablesOf({ parser, apply: "md.m = hdr.d.b; hdr.d.c = hdr.d.a;" })).toEqual([1, 1]);
    expect(tablesOf({ apply: "md.m = hdr.d.b;" })).toEqual([0, 0]);
  });

  it("is a zero before any other value, as the parser has cleared the field", () => {
    const branch = "if (hdr.d.t == 3) { md.m = 7; } hdr.d.a = md.m;";
    expect(tablesOf({ apply: `md.m = 0; ${branch}` })).toEqual([2, 2]);
    expect(tablesOf({ apply: `md.m = 1; ${branch}` })).toEqual([3, 3]);
    const set = { parser: "md.m = hdr.d.a; transition accept; }" };
    expect(tablesOf({ ...set, apply: `md.m = 0; ${branch}` })).toEqual([3, 3]);
    // A packet that skips the zero reads what the container holds.
    expect(tablesOf({ apply: `if (hdr.d.i == 1) { md.m = 0; } ${branch}` })[0]).toBe(3);
  });

  it("is a zero of what the traffic manager reads on Tofino 1 alone, where that has no validity of its own", () => {
    const apply = "tm.bypass_egress = 0; if (hdr.d.t == 3) { tm.bypass_egress = 1; }";
    expect(fitOf({ apply }).stages).toBe(1);
    expect(fitOf({ apply }, "tofino2").stages).toBe(2);
    const port = "tm.ucast_egress_port = 0; if (hdr.d.t == 3) { tm.ucast_egress_port = 1; }";
    expect(fitOf({ apply: port }).stages).toBe(2);
    expect(
      fitOf({ apply: "if (hdr.d.i == 2) { dprsr.drop_ctl = 0; } else { dprsr.drop_ctl = 1; }" }).model.units
        .length,
    ).toBe(2);
  });

  it("is a condition with a known result, and what it decides", () => {
    const branch = "{ hdr.d.a = 1; } else { hdr.d.b = 1; }";
    expect(tablesOf({ apply: `if (hdr.d.i >= 0) ${branch}` })).toEqual([1, 1]);
    expect(tablesOf({ ingress: random, apply: `bit<8> r = rnd.get(); if (r < 0) ${branch}` })).toEqual([
      1, 1,
    ]);
    expect(tablesOf({ apply: `if ((int<16>) hdr.d.i >= 0) ${branch}` })[0]).toBeGreaterThan(1);
  });
});

describe("the order of the flow", () => {
  const table = (name: string, reads: string, writes: string) => `
    action ${name}_set(bit<32> v) { hdr.d.${writes} = v; }
    table ${name} { key = { hdr.d.${reads} : exact; } actions = { ${name}_set; NoAction; } size = 16; }`;
  // t3 waits for t1, so that what the condition decides on ends in the second stage.
  const ingress = table("t1", "a", "b") + table("t2", "b", "c") + table("t3", "i", "a");
  const apply = "t1.apply(); if (hdr.d.t == 1) { t2.apply(); } t3.apply();";
  const stageOf = (target: string, name: string) =>
    fitOf({ ingress, apply }, target).placement.parts.find(({ unit }) => unit.name.endsWith(name))?.stage;

  it("places a condition alone where the tables behind it wait for what it decides on", () => {
    const chain = table("c1", "a", "b") + table("c2", "b", "c") + table("c3", "c", "a");
    const late = `action late_set(bit<32> v) { md.n = v; }
    table late { key = { md.m : exact; } actions = { late_set; NoAction; } size = 16; }`;
    const nested =
      "if (hdr.d.t == 1) { if (hdr.d.i == 2) { md.m = 5; } late.apply(); } if (md.n == 4) { hdr.d.i = 1; }";
    for (const target of ["tofino", "tofino2"]) {
      const result = fitOf(
        { ingress: chain + late, apply: `c1.apply(); c2.apply(); c3.apply(); ${nested}` },
        target,
      );
      expect(result.stages).toBe(3);
    }
  });

  it("lets a table after a branch share a stage with it", () => {
    expect([stageOf("tofino", "t2"), stageOf("tofino2", "t2")]).toEqual([1, 1]);
    expect(stageOf("tofino2", "t3")).toBe(0);
  });

  it("lets a condition wait for the table whose gateway it is", () => {
    const { placement } = fitOf({ ingress, apply });
    const guarded = placement.parts.find(({ unit }) => unit.name.endsWith("t2"))!;
    expect(placement.parts.find(({ unit }) => unit.id === guarded.gateway)?.stage).toBe(1);
    expect(placement.stages.map((stage) => stage.logical_tables)).toEqual([2, 1]);
  });

  it("on Tofino 1 places what a condition decides on before what follows", () => {
    // The outer condition has no table whose gateway it can be, so that it is placed alone; then t2 has to wait for t1.
    const nested =
      "t1.apply(); if (hdr.d.t == 1) { if (hdr.d.t == 2) { t2.apply(); hdr.d.b = hdr.d.c; } } if (hdr.d.t == 3) { tm.qid = 1; }";
    const stage = (target: string) =>
      fitOf({ ingress, apply: nested }, target).placement.parts.find(({ unit }) =>
        unit.label.startsWith("tm.qid"),
      )?.stage;
    expect([stage("tofino"), stage("tofino2")]).toEqual([2, 0]);
  });

  it("packs fields again where a container of several tables would take more stages than there are", () => {
    const flags = Array.from(
      { length: 14 },
      (_, i) => `if (hdr.d.t == ${i + 1}) { hdr.h${i}.setInvalid(); }`,
    );
    const headers = Array.from({ length: 14 }, (_, i) => `h${i}`);
    const independent = flags.map((text, i) => text.replace("hdr.d.t", `hdr.h${(i + 1) % 14}.sum`)).join(" ");
    const result = fitOf({ headers, apply: independent });
    expect(result.problem.conflicts.some(({ size }) => size === 13)).toBe(true);
    expect(result.stages).toBeLessThanOrEqual(12);

    // Bits of one byte of a header stay in one container, so that the tables which set them stay apart.
    const bits = tnaSource({
      headers,
      apply: `${independent} if (hdr.h0.v == 1) { hdr.h1.y0 = 1; } if (hdr.h0.v == 2) { hdr.h1.y1 = 1; }`,
    }).replace("bit<32> w; bit<16> sum;", "bit<24> w; bit<1> y0; bit<1> y1; bit<6> y2; bit<16> sum;");
    const diagnostics = new Diagnostics();
    const { program } = compile({ file: bits, form: "hardware" }, diagnostics)!;
    const packed = fitProgram(onePipe(program, "pipe"), loadTarget("tofino"));
    expect(packed.phv.exceeded).toEqual([]);
    expect(packed.stages).toBeLessThanOrEqual(12);
    const stagesOf = (label: string) =>
      packed.placement.parts.filter(({ unit }) => unit.label.startsWith(label)).map(({ stage }) => stage);
    const [first, second] = [stagesOf("hdr.h1.y0"), stagesOf("hdr.h1.y1")];
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(first).not.toEqual(second);
  });
});

describe("an exclusive or of several fields", () => {
  it("is made by the hash engine, in one stage", () => {
    const result = fitOf({ apply: "hdr.d.a = hdr.d.a ^ hdr.d.b ^ hdr.d.c ^ md.m;" });
    expect([messages(result), result.stages]).toEqual([[], 1]);
    expect(result.placement.stages[0]?.hash_dist_units).toBe(2);
  });

  it("may join parts without a bit in common", () => {
    const joined = (apply: string) => messages(fitOf({ apply }));
    expect(joined("hdr.d.a = (hdr.d.b ^ hdr.d.c) & 0xffff | ((bit<32>) hdr.d.i << 16);").length).toBe(1);
    expect(joined("hdr.d.a = ((bit<32>) hdr.d.i << 16) | (bit<32>) (hdr.d.t ^ hdr.d.b[15:0]);")).toEqual([]);
    expect(joined("hdr.d.a = ((bit<32>) hdr.d.i << 8) | (bit<32>) (hdr.d.t ^ hdr.d.b[15:0]);").length).toBe(
      1,
    );
  });

  it("is one instruction where it has two operands; a sum of three is still refused", () => {
    expect(fitOf({ apply: "hdr.d.a = hdr.d.b ^ hdr.d.c;" }).placement.stages[0]?.hash_dist_units).toBe(0);
    expect(messages(fitOf({ apply: "hdr.d.a = hdr.d.a + hdr.d.b + hdr.d.c;" })).join()).toContain(
      "takes 2 instructions",
    );
  });
});

it("puts small values for the traffic manager into one byte, so that two tables which set them need two stages", () => {
  const stages = (first: string, second: string) =>
    fitOf({ apply: `if (hdr.d.a == 1) { ${first} } if (hdr.d.b == 1) { ${second} }` }).stages;
  expect(stages("tm.bypass_egress = 1;", "dprsr.drop_ctl = 1;")).toBe(2);
  expect(stages("tm.bypass_egress = 1;", "dprsr.mirror_type = 1;")).toBe(1);
  expect(stages("tm.bypass_egress = 1;", "tm.ucast_egress_port = 4;")).toBe(1);
});

describe("what a placement takes with the containers that fields got", () => {
  const inOneByte = `
    bit<4> x = 0; bit<4> y = 0;
    ${register("r", "bit<32>", "if (x == 3) { cell = cell + 1; } result = cell;")}
    action set(bit<4> p, bit<4> q) { x = p; y = q; }
    table t { key = { hdr.d.t : exact; } actions = { set; } size = 1024; }
    action send(bit<9> port) { tm.ucast_egress_port = port; }
    table u { key = { y : exact; } actions = { send; } size = 16; }`;

  it("has the operand of an ALU in the hash matrix where its byte holds another value (measured: 40 and 30 bits, 2 and 4 bytes)", () => {
    const { placement } = fitOf({
      ingress: inOneByte,
      apply: "t.apply(); hdr.d.a = r_update.execute(hdr.d.i); u.apply();",
    });
    expect(placement.stages.map(({ hash_bits: bits, xbar_bytes_exact: bytes }) => [bits, bytes])).toEqual([
      [40, 2],
      // 16 of the register's address, 4 of x, and the line of u, whose key is its own address.
      [30, 4],
    ]);
  });

  it("leaves the bytes of the placement where fields have no container", () => {
    const parts = { ingress: inOneByte, apply: "t.apply(); hdr.d.a = r_update.execute(hdr.d.i); u.apply();" };
    const tofino = loadTarget("tofino");
    const program = programOf(parts);
    const one = onePipe(program, pipesOf(program)[0]!);
    const { placement } = fitProgram(one, tofino, { tablesOnly: true });
    expect(placement.stages.map(({ hash_bits: bits }) => bits)).toEqual([40, 26]);
  });
});

describe("a key of ten bits or more that is its own address", () => {
  const bitsOf = (property: string) =>
    fitOf({
      ingress: `${register("r", "bit<32>", "cell = cell + 1; result = cell;")}
        action go() { hdr.d.a = r_update.execute(hdr.d.i); }
        action none() { }
        table t { key = { hdr.d.t[9:0] : exact; } actions = { go; @defaultonly none; } ${property} size = 16; }`,
      apply: "t.apply();",
    }).placement.stages[0]?.hash_bits;

  it("needs that no default action can use a memory: the driver keeps an entry for it", () => {
    // A controller can make go the default: four ways of ten bits, and the address of the register.
    expect(bitsOf("const default_action = none();")).toBe(26);
    expect(bitsOf("default_action = none();")).toBe(56);
  });
});

describe("bytes of the action data bus", () => {
  const busOf = (actions: string, names: string) =>
    fitOf({
      ingress: `${actions}
        table t { key = { ig.ingress_port : exact; } actions = { ${names} } size = 512; }`,
      apply: "t.apply();",
    }).placement.stages[0]?.action_bus_bytes;

  it("are apart for containers of different sizes, also where no action takes all of them (measured: 6 and 4)", () => {
    const word = "action word(bit<32> v) { hdr.d.a = v; }";
    expect(busOf(`${word} action half(bit<16> v) { hdr.d.i = v; }`, "word; half;")).toBe(6);
    expect(
      busOf(`${word} action halves(bit<16> v, bit<16> w) { hdr.d.i = v; hdr.d.t = w; }`, "word; halves;"),
    ).toBe(4);
  });
});
