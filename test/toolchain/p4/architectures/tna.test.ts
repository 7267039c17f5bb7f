/** TNA and T2NA in their lowered form: pipes, blocks and storage, externs with results and methods, annotations and properties. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { analyse, build, type CompileInput, controlPlaneOf } from "../../../../src/toolchain/p4/index.js";
import type { IrControl, IrPipe, IrProgram, StmtOf } from "../../../../src/toolchain/p4/lower/ir.js";
import { printProgram } from "../../../../src/toolchain/p4/lower/print.js";
import { forEachStmt } from "../../../../src/toolchain/p4/lower/walk.js";
import { sources } from "../../../../src/toolchain/p4/stdlib/sources.js";
import { bfrtSchema } from "../../../../src/toolchain/program/index.js";
import { countByKind, loweredMarks, missing, sourceMarks } from "./marks.js";
import { lowerText, lowerTna, type TnaParts, tna } from "./tna.js";

const pipeOf = (program: IrProgram, index = 0): IrPipe => program.pipes[index]!;

function controlOf(program: IrProgram, role: string): IrControl {
  const block = pipeOf(program).blocks.find((one) => one.role === role)!;
  if (block.kind === "parser") throw new Error(`${role} is a parser`);
  return block.body;
}

/** The lines of the printed program from the one that holds `from` on. */
function printed(program: IrProgram, from: string, count: number): string[] {
  const lines = printProgram(program).split("\n");
  const start = lines.findIndex((line) => line.includes(from));
  return lines.slice(start, start + count).map((line) => line.trim());
}

const STATES = `
  ParserCounter() counter;
  Checksum() sum;
  ParserPriority() priority;`;

/** One of each: what the form of a TNA program must keep. */
const EVERYTHING: TnaParts = {
  metadata: "bit<64> port_md; MirrorId_t session;",
  top: `
    @note("unused by the chip") struct pair_t { bit<32> lo; bit<32> hi; }
    header mirror_h { bit<16> a; }
    Register<bit<32>, bit<8>>(256) everywhere;
    RegisterParam<bit<32>>(7) limit;
    MathUnit<bit<32>>(MathOp_t.SQR, 1) square;
    @noWarn("x") control Part(inout bit<16> v)(bit<16> step) { @hidden action add() { v = v + step; } apply { add(); } }`,
  parserLocals: `${STATES} value_set<bit<16>>(4) set;`,
  states: `
    @critical state next {
      meta.port_md = port_metadata_unpack<bit<64>>(pkt);
      pkt.extract(hdr.h);
      sum.subtract({ hdr.h.a, hdr.h.b });
      counter.set(hdr.h.a[7:0]);
      priority.set(3w1);
      transition select(hdr.h.a, hdr.h.b) {
        (0 .. 9, 16w2): more;
        (_, 16w1 &&& 16w3): by_set;
        default: accept;
      }
    }
    state by_set { transition select(hdr.h.b) { set: more; default: reject; } }
    @dont_unroll state more {
      counter.decrement(8w1);
      meta.x = pkt.lookahead<bit<16>>();
      sum.subtract_all_and_deposit(meta.x);
      pkt.advance(16);
      transition select(counter.is_zero()) { true: accept; false: more; }
    }`,
  locals: `
    Register<pair_t, bit<8>>(256, {1, 2}) pairs;
    @reduction_or_group("g") RegisterAction<pair_t, bit<8>, bit<32>>(pairs) bump = {
      void apply(inout pair_t value, out bit<32> rv) {
        if (value.lo > 5) { value.hi = value.hi + 1; rv = value.hi; } else { rv = 0; }
      }
    };
    RegisterAction<bit<32>, bit<8>, bit<1>>(everywhere) test = {
      void apply(inout bit<32> value, out bit<1> rv) {
        value = square.execute(value) + limit.read();
        rv = this.predicate(value > 5, false);
      }
    };
    CRCPolynomial<bit<16>>(16w0x1021, false, false, false, 16w0xffff, 16w0) poly;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, poly) hash;
    Random<bit<8>>() random;
    Counter<bit<32>, bit<8>>(16, CounterType_t.BYTES) counter;
    DirectCounter<bit<32>>(CounterType_t.PACKETS) hits;
    DirectMeter(MeterType_t.BYTES) colours;
    ActionProfile(16) profile;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) select_hash;
    ActionSelector(profile, select_hash, SelectorMode_t.FAIR, 8, 4) selector;
    Part(3) part;
    @in_hash @name("renamed") action act(@id(4) bit<9> port) {
      hits.count();
      meta.z = colours.execute();
      tm.ucast_egress_port = port;
      @in_hash { meta.x = meta.x + 1; }
    }
    action drop() { dprsr.drop_ctl = 1; }
    @stage(3) @pragma_like table t {
      key = { hdr.h.a : exact @name("a"); meta.x[3:0] : ternary; hdr.k.isValid() : exact; }
      actions = { @tableonly act; @defaultonly drop; }
      @critical const default_action = drop();
      counters = hits;
      meters = colours;
      idle_timeout = true;
      @quick size = 512;
      const entries = { (16w1, 4w2 &&& 4w6, true) : act(5); }
    }
    table s {
      key = { hdr.h.b : exact; meta.y : selector; }
      actions = { drop; }
      implementation = selector;
      size = 64;
    }`,
  ingress: `
    bit<8> index = random.get();
    meta.y = bump.execute(index);
    meta.one = test.execute(index);
    meta.x = hash.get({ hdr.h.a, 16w7, meta.x + 1 });
    meta.x = max(meta.x, hdr.h.a);
    counter.count(index);
    everywhere.write(index, 5);
    invalidate(hdr.h.b);
    if (t.apply().hit) { hdr.k.setValid(); } else { exit; }
    switch (s.apply().action_run) { drop : { hdr.k.setInvalid(); } default : { meta.z = sizeInBytes(hdr.h)[7:0]; } }
    part.apply(hdr.h.a);
    switch (meta.z) { 1 : { meta.x = 1; } 2 : { meta.x = 2; } }`,
  deparserLocals: `
    Checksum() out_sum;
    @mirrored Mirror(3w1) mirror;
    Resubmit(3w2) again;
    Digest<h_t>(3w3) digest;`,
  deparser: `
    hdr.h.b = out_sum.update({ hdr.h.a, meta.x }, true);
    if (dprsr.mirror_type == 1) { mirror.emit<mirror_h>(meta.session, { meta.x }); }
    if (dprsr.resubmit_type == 2) { again.emit(); }
    if (dprsr.digest_type == 3) { digest.pack({ hdr.h.a, hdr.h.b, 0, 0 }); }
    pkt.emit(hdr);`,
};

describe("pipes", () => {
  it("have their blocks in roles, in the order in which a packet meets them", () => {
    const { lowered } = lowerTna({});
    expect(lowered.architecture).toBe("tna");
    expect(lowered.pipes.map(({ name }) => name)).toEqual(["pipe"]);
    expect(pipeOf(lowered).blocks.map(({ role, body }) => `${role} ${body.name}`)).toEqual([
      "ingressParser IP",
      "ingress I",
      "ingressDeparser ID",
      "egressParser EP",
      "egress E",
      "egressDeparser ED",
    ]);
  });

  it("share storage between the blocks of a gress", () => {
    const { lowered } = lowerTna({ ingress: "tm.rid = meta.x;", deparser: "hdr.h.a = meta.x;" });
    const { storage } = pipeOf(lowered);
    expect([...storage].map(([key, { name }]) => `${key} ${name}`)).toEqual([
      "ingress.headers hdr",
      "ingress.metadata meta",
      "ingress.intrinsic ig",
      "ingress.parser prsr",
      "ingress.deparser dprsr",
      "ingress.tm tm",
      "egress.headers hdr_0",
      "egress.metadata meta_0",
      "egress.intrinsic eg",
      "egress.parser prsr_0",
      "egress.deparser dprsr_0",
      "egress.port oport",
    ]);
    expect(printed(lowered, "tm.rid", 1)).toEqual(["tm.rid = meta.x;"]);
    expect(printed(lowered, "hdr.h.a =", 1)).toEqual(["hdr.h.a = meta.x;"]);
  });

  it("find an intrinsic parameter by its type where an optional one before it is left out", () => {
    const text = tna({}).replace(
      "out ingress_intrinsic_metadata_t ig) {\n",
      "out ingress_intrinsic_metadata_t ig, out ingress_intrinsic_metadata_for_tm_t t) {\n",
    );
    const { lowered, errors } = lowerText(text);
    expect(errors).toEqual([]);
    expect(pipeOf(lowered!).storage.get("ingress.tm")?.name).toBe("t");
  });

  it("are as many as the switch has, each with instances of its own", () => {
    const { lowered } = lowerTna({
      locals: "Counter<bit<32>, bit<8>>(16, CounterType_t.BYTES) c;",
      ingress: "c.count(1);",
      main: `Pipeline(IP(), I(), ID(), EP(), E(), ED()) first;
        Pipeline(IP(), I(), ID(), EP(), E(), ED()) second;
        Switch(first, second) main;`,
    });
    expect(lowered.pipes.map(({ name }) => name)).toEqual(["first", "second"]);
    const [one, other] = lowered.pipes.map(({ blocks }) => blocks[1]!.body.instances[0]!);
    expect(one!.name).toBe("I.c");
    expect(other!.name).toBe("I.c");
    expect(one).not.toBe(other);
  });

  it("take a parser for each port", () => {
    const { lowered } = lowerTna({
      main: `IngressParsers(IP(), IP()) in_parsers;
        EgressParsers(EP()) out_parsers;
        MultiParserPipeline(in_parsers, I(), ID(), out_parsers, E(), ED()) pipe;
        MultiParserSwitch(pipe) main;`,
    });
    const roles = pipeOf(lowered).blocks.map(({ role }) => role);
    expect(roles.slice(0, 3)).toEqual(["ingressParser", "ingressParser", "ingress"]);
    expect(roles.filter((role) => role === "egressParser")).toHaveLength(1);
  });

  it("can be generic parsers and controls with a body, as p4c takes them", () => {
    const { lowered } = lowerTna({
      top: `parser AnyIP<H, M>(packet_in pkt, out H hdr, out M meta, out ingress_intrinsic_metadata_t ig) {
          state start { pkt.extract(ig); transition accept; }
        }
        control Put<T>(inout T value)(T step) { apply { T copy = step; value = copy; } }
        control AnyE<H, M>(inout H hdr, inout M meta, in egress_intrinsic_metadata_t eg,
            in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
            inout egress_intrinsic_metadata_for_output_port_t oport) { apply { } }`,
      locals: "Put<bit<16>>(3) wide; Put<bit<8>>(5) narrow; Put(1w1) one;",
      ingress: "wide.apply(meta.x); narrow.apply(meta.z);",
      main: `Pipeline(AnyIP<headers_t, meta_t>(), I(), ID(), EP(), AnyE<headers_t, meta_t>(), ED()) pipe;
        Switch(pipe) main;`,
    });
    expect(printed(lowered, "16w3", 1)).toEqual(["copy = 16w3;"]);
    expect(printed(lowered, "8w5", 1)).toEqual(["copy_0 = 8w5;"]);
    expect(pipeOf(lowered).storage.get("egress.metadata")?.type).toMatchObject({
      kind: "struct",
      name: "meta_t",
    });
  });

  it("have no tables in deparsers, but for those that compilers write around one action", () => {
    const parts = (table: string) => ({
      deparserLocals: `action emits() { pkt.emit(hdr.h); } action other() { pkt.emit(hdr.k); }
        table t { ${table} }`,
      deparser: "t.apply();",
    });
    const { lowered } = lowerTna(parts("actions = { emits; } const default_action = emits();"));
    expect(printed(lowered, "emit(hdr.h)", 1)).toEqual(["emit(hdr.h);"]);
    for (const table of [
      "actions = { emits; } default_action = emits();",
      "actions = { emits; other; } default_action = other();",
      "key = { hdr.h.a : exact; } actions = { emits; } const default_action = emits();",
    ])
      expect(lowerText(tna(parts(table))).errors).toEqual(["P40409 the table t cannot be applied here"]);
  });

  it("have a ghost in T2NA", () => {
    const { lowered } = lowerTna({
      arch: "t2na",
      top: "control G(in ghost_intrinsic_metadata_t gh) { Register<bit<32>, bit<11>>(2048) r; apply { r.write(gh.qid, 1); } }",
      main: "Pipeline(IP(), I(), ID(), EP(), E(), ED(), G()) pipe;\nSwitch(pipe) main;",
    });
    expect(lowered.architecture).toBe("t2na");
    expect(pipeOf(lowered).blocks.at(-1)?.role).toBe("ghost");
    expect(printed(lowered, "G.r.write", 1)).toEqual(["G.r.write(gh.qid, 32w1);"]);
  });
});

describe("externs", () => {
  const { lowered } = lowerTna(EVERYTHING);
  const ingress = controlOf(lowered, "ingress");
  const instance = (name: string) => ingress.instances.find((one) => one.name === `I.${name}`)!;

  it("give their results to the place of the assignment", () => {
    expect(printed(lowered, "I.bump.execute", 2)).toEqual([
      "meta.y = I.bump.execute(index);",
      "meta.one = I.test.execute(index);",
    ]);
    expect(printed(lowered, "I.hash.get", 2)).toEqual([
      "meta.x = I.hash.get({ hdr.h.a, 16w7, (meta.x + 16w1) });",
      "meta.x = max(meta.x, hdr.h.a);",
    ]);
  });

  it("drop a result that nothing reads, and keep the call", () => {
    const { lowered } = lowerTna({
      locals: "Register<bit<32>, bit<8>>(16) r;",
      ingress: "r.read(1); r.write(2, 3);",
    });
    expect(printed(lowered, "I.r.read", 2)).toEqual(["I.r.read(8w1);", "I.r.write(8w2, 32w3);"]);
  });

  it("keep the methods of an instance as code with storage of its own", () => {
    const [method] = instance("bump").methods;
    expect(method?.name).toBe("apply");
    expect(method?.params.map(({ direction, variable }) => `${direction} ${variable.name}`)).toEqual([
      "inout value",
      "out rv",
    ]);
    expect(printed(lowered, '@name("I.bump")', 8)).toEqual([
      '@name("I.bump") RegisterAction(I.pairs) {',
      "apply(pair_t value, bit<32> rv) {",
      "if ((value.lo > 32w5)) {",
      "value.hi = (value.hi + 32w1);",
      "rv = value.hi;",
      "} else {",
      "rv = 32w0;",
      "}",
    ]);
  });

  it("know what this is in a method, and call other instances there", () => {
    const [method] = instance("test").methods;
    const calls: string[] = [];
    forEachStmt(method!.body, (stmt) => {
      if (stmt.kind === "extern") calls.push(`${stmt.instance?.name} ${stmt.name}`);
    });
    expect(calls).toEqual([
      "square MathUnit.execute",
      "limit RegisterParam.read",
      "I.test RegisterAction.predicate",
    ]);
  });

  it("have their arguments under the names of the constructor's parameters, instances among them", () => {
    expect(instance("selector").argNames).toEqual([
      "action_profile",
      "hash",
      "mode",
      "max_group_size",
      "num_groups",
    ]);
    const [profile] = instance("selector").args;
    expect(profile?.kind === "instance" && profile.instance).toBe(instance("profile"));
    expect(instance("bump").args[0]).toMatchObject({ kind: "instance", instance: { name: "I.pairs" } });
    expect(instance("test").args[0]).toMatchObject({ kind: "instance", instance: { name: "everywhere" } });
    expect(lowered.globals.map(({ name }) => name)).toEqual(["everywhere", "limit", "square"]);
  });

  it("stand in deparsers under their conditions, their data with the type that they send", () => {
    const { body } = controlOf(lowered, "ingressDeparser");
    expect(body.map(({ kind }) => kind)).toEqual(["extern", "if", "if", "if", "emit"]);
    const [sent] = (body[1] as StmtOf<"if">).whenTrue as StmtOf<"extern">[];
    expect(sent?.name).toBe("Mirror.emit");
    expect(sent?.args[1]?.type).toMatchObject({ kind: "header", name: "mirror_h" });
  });

  it("are errors where the architecture has none of that name", () => {
    const { errors } = lowerText(
      tna({ top: "extern Foo { Foo(); void f(); }", locals: "Foo() foo;", ingress: "foo.f();" }),
    );
    expect(errors).toEqual(["P40424 the target has no Foo.f"]);
  });
});

describe("tables", () => {
  const { lowered } = lowerTna(EVERYTHING);
  const [t, s] = controlOf(lowered, "ingress").tables;

  it("keep all their properties, and the annotations of their parts", () => {
    expect(t?.properties.map(({ name }) => name)).toEqual(["counters", "meters", "idle_timeout", "size"]);
    expect(t?.properties.at(-1)?.annotations.map(({ name }) => name)).toEqual(["quick"]);
    expect(t?.partAnnotations.defaultAction.map(({ name }) => name)).toEqual(["critical"]);
    expect(t?.size).toBe(512);
  });

  it("name the instances that are attached to them", () => {
    expect([t?.counters?.name, t?.meters?.name, s?.implementation?.name]).toEqual([
      "I.hits",
      "I.colours",
      "I.selector",
    ]);
  });

  it("can belong to a control that is applied twice, its parameters in storage of their own", () => {
    const { lowered } = lowerTna({
      top: `control Acl(inout meta_t m, out bit<16> x) {
          action set(bit<16> v) { x = v; }
          table acl { key = { m.z : exact; } actions = { set; } }
          apply { x = 0; acl.apply(); }
        }`,
      locals: "Acl() acl;",
      ingress: "if (meta.z == 1) { acl.apply(meta, meta.x); } else { acl.apply(meta, meta.x); }",
    });
    expect(controlOf(lowered, "ingress").tables.map(({ name }) => name)).toEqual(["I.acl.acl"]);
  });
});

describe("a table that a constant condition excludes", () => {
  const parts: TnaParts = {
    locals: `action a() { meta.x = 1; } action b() { meta.x = 2; }
      table never { key = { meta.z : exact; } actions = { a; b; } }
      table always { key = { meta.z : exact; } actions = { b; } }`,
    ingress: "const bool on = false; if (on) { never.apply(); } always.apply();",
  };
  const names = (stop: "elaborated" | "passed") => {
    const { tables, actions } = controlOf(lowerTna(parts, stop).lowered, "ingress");
    return [...tables, ...actions].map(({ name }) => name);
  };

  it("is gone after the passes, with the actions that only it had", () => {
    expect(names("elaborated").sort()).toEqual(["I.a", "I.always", "I.b", "I.never", "NoAction"]);
    expect(names("passed").sort()).toEqual(["I.always", "I.b", "NoAction"]);
  });
});

describe("a control with tables that is applied with different arguments", () => {
  it("copies what differs to storage of its own, and back", () => {
    const { lowered } = lowerTna({
      top: `control Acl(inout bit<16> v, in bit<8> kind) {
          action set(bit<16> x) { v = x; }
          table acl { key = { v : exact; kind : exact; } actions = { set; } }
          apply { acl.apply(); }
        }`,
      locals: "Acl() acl;",
      ingress: "acl.apply(meta.x, meta.z); acl.apply(hdr.h.a, meta.z);",
    });
    const [table] = controlOf(lowered, "ingress").tables;
    expect(table?.keys.map(({ expression }) => expression.kind)).toEqual(["variable", "field"]);
    const body = printProgram(lowered)
      .split("\n")
      .map((line) => line.trim());
    const start = body.indexOf("v = meta.x;");
    expect(body.slice(start, start + 6)).toEqual([
      "v = meta.x;",
      "I.acl.acl.apply();",
      "meta.x = v;",
      "v = hdr.h.a;",
      "I.acl.acl.apply();",
      "hdr.h.a = v;",
    ]);
  });

  it("holds locals of two blocks apart that share a name", () => {
    const { lowered } = lowerTna({
      top: `control Acl(inout bit<16> v) {
          action set(bit<16> x) { v = x; }
          table acl { key = { v : exact; } actions = { set; } }
          apply { acl.apply(); }
        }`,
      locals: "Acl() acl;",
      ingress: `if (meta.z == 1) { bit<16> own = meta.x; acl.apply(own); meta.x = own; }
        else { bit<16> own = hdr.h.a; acl.apply(own); hdr.h.a = own; }`,
    });
    const [table] = controlOf(lowered, "ingress").tables;
    expect(table?.keys.map(({ expression }) => expression.kind)).toEqual(["variable"]);
    expect(printProgram(lowered).match(/I\.acl\.acl\.apply\(\);/g)).toHaveLength(2);
  });
});

describe("the lowered form", () => {
  it.each(["elaborated", "passed"] as const)("has every statement, call and annotation: %s", (stop) => {
    const { unit, lowered } = lowerTna(EVERYTHING, stop);
    const source = sourceMarks(unit);
    expect([...missing(source, loweredMarks(lowered)).keys()]).toEqual([]);
    // The source side must have seen the program.
    const counts = countByKind(source);
    expect(counts["extern"]).toBeGreaterThan(30);
    expect(counts["annotation"]).toBeGreaterThan(25);
    expect(Object.keys(counts)).toEqual(
      expect.arrayContaining([
        "method",
        "valueSet",
        "case",
        "entry",
        "property",
        "validity",
        "exit",
        "switch",
      ]),
    );
  });

  it("would show what a pass loses", () => {
    const { unit, lowered } = lowerTna(EVERYTHING);
    const ingress = controlOf(lowered, "ingress");
    ingress.body = ingress.body.filter(({ kind }) => kind !== "extern" && kind !== "block");
    for (const one of ingress.instances) one.methods = [];
    ingress.tables[0]!.annotations = [];
    const lost = missing(sourceMarks(unit), loweredMarks(lowered));
    expect([...lost.keys()].sort()).toEqual(
      expect.arrayContaining(["annotation", "extern", "method", "result"]),
    );
  });
});

describe("a program without main", () => {
  it.each(["tna", "t2na"] as const)("of %s is told to end with a Switch", (arch) => {
    const { diagnostics } = lowerText(
      tna({ arch, main: "Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;" }),
    );
    expect(diagnostics.list.map(({ code, notes }) => [code, notes[0]?.message])).toEqual([
      ["P40430", "end it with Switch(...) main;"],
    ]);
  });
});

describe("the named architecture", () => {
  const codesOf = (text: string, arch: string): string[] => {
    const diagnostics = new Diagnostics();
    build({ file: text, arch }, diagnostics);
    return diagnostics.list.map(({ code }) => code);
  };

  it.each([
    ["t2na", "tna", "P40112"],
    ["tna", "v1model", "P40431"],
  ] as const)("of a program that includes %s.p4 is not %s", (arch, other, code) => {
    const text = tna({ arch });
    expect(codesOf(text, other)).toEqual([code]);
    expect(codesOf(text, arch)).toEqual([]);
  });

  it("presets the macros of the chip, and -D and -U come after it", () => {
    const macros = `#ifdef __TARGET_TOFINO__
const bit<16> CHIP = __TARGET_TOFINO__;
#else
const bit<16> CHIP = 0;
#endif
#ifdef __TOFINO2_VARIANT__
const bit<16> VARIANT = __TOFINO2_VARIANT__;
#else
const bit<16> VARIANT = 0;
#endif
`;
    const seen = (settings: Partial<CompileInput>): (bigint | undefined)[] => {
      const { checked } = analyse(new SourceFile("a.p4", macros), settings, new Diagnostics());
      return ["CHIP", "VARIANT"].map((name) => {
        const found = checked.globals.get(name)?.[0];
        const value = found?.kind === "constant" ? found.constant : undefined;
        return value?.kind === "integer" ? value.value : undefined;
      });
    };
    expect(seen({})).toEqual([0n, 0n]);
    expect(seen({ arch: "v1model" })).toEqual([0n, 0n]);
    expect(seen({ arch: "tna" })).toEqual([1n, 0n]);
    expect(seen({ arch: "t2na" })).toEqual([2n, 1n]);
    expect(seen({ arch: "t2na", defines: { __TOFINO2_VARIANT__: "3" } })).toEqual([2n, 3n]);
    expect(seen({ arch: "tna", defines: { __TARGET_TOFINO__: "2" } })).toEqual([2n, 0n]);
    expect(seen({ arch: "t2na", undefines: ["__TOFINO2_VARIANT__"] })).toEqual([2n, 0n]);
  });

  const SECOND = { __TARGET_TOFINO__: "2" };
  it.each<[string, Partial<CompileInput>, "tna" | "t2na"]>([
    ["nothing", {}, "tna"],
    ["the macro", { defines: SECOND }, "t2na"],
    ["--arch tna", { arch: "tna" }, "tna"],
    ["--arch t2na", { arch: "t2na" }, "t2na"],
    ["--arch tna and the macro", { arch: "tna", defines: SECOND }, "t2na"],
  ])("with %s, a program of tna.p4 gets the numbers of its chip", (_, settings, chip) => {
    const diagnostics = new Diagnostics();
    const text = tna({});
    const built = build({ file: text, ...settings }, diagnostics)!;
    const p4info = controlPlaneOf(built, diagnostics)!;
    expect(p4info.pkgInfo?.arch).toBe(chip);
    const snapshot = bfrtSchema(p4info, diagnostics)!.tables.find(({ name }) =>
      name.endsWith("snapshot.cfg"),
    );
    expect([built.architecture, snapshot?.size]).toEqual([chip, chip === "tna" ? 12 : 20]);
  });

  it("of a program with declarations of its own follows from the macro", () => {
    const own = (text: string) => text.replace(/[<"]tofino(\d)_specs\.p4[>"]/g, '"specs$1.p4"');
    const file = new SourceFile("own.p4", tna({}).replace("<tna.p4>", '"mine.p4"'));
    const resolveInclude = (name: string) => {
      const theirs = name.replace(/^specs(\d)\.p4$/, "tofino$1_specs.p4").replace("mine", "tna");
      return name === theirs ? undefined : new SourceFile(`own/${name}`, own(sources[theirs]!));
    };
    const chip = (defines: Record<string, string>) =>
      build({ file, defines, resolveInclude }, new Diagnostics())?.architecture;
    expect([chip({}), chip(SECOND)]).toEqual(["tna", "t2na"]);
  });
});
