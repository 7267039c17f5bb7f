/**
 * What the units of a Tofino cannot do: each rule with programs on both sides of it. The wrong programs of the catalogue
 * (`test/bad/lower/P40442` to `P40461`) show the places of the messages.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../../src/base/index.js";
import { build } from "../../../../src/toolchain/p4/index.js";
import { type TnaParts, tna } from "./tna.js";

function codes(parts: TnaParts): string[] {
  const diagnostics = new Diagnostics();
  build({ file: tna(parts) }, diagnostics);
  return diagnostics.list.filter(({ severity }) => severity === "error").map(({ code }) => code);
}

const table = (name: string, action: string, more = "") =>
  `${more} table ${name} { key = { hdr.h.a : exact; } actions = { ${action}; } }`;

const register = (type = "bit<16>") => `Register<${type}, bit<8>>(16) r;`;

const act = (name: string, body: string, type = "bit<16>") =>
  `RegisterAction<${type}, bit<8>, bit<16>>(r) ${name} = { void apply(inout ${type} v, out bit<16> o) { ${body} } };`;

describe("externs and the blocks that have them", () => {
  it.each([
    ["control", "Checksum() c;", "meta.x = c.update({ hdr.h.a });", ["P40442"]],
    ["control", "Hash<bit<16>>(HashAlgorithm_t.CRC16) c;", "meta.x = c.get({ hdr.h.a });", []],
    ["deparser", "Hash<bit<16>>(HashAlgorithm_t.CRC16) c;", "hdr.h.a = c.get({ hdr.h.b });", ["P40442"]],
    ["deparser", "Checksum() c;", "hdr.h.a = c.update({ hdr.h.b });", []],
    ["parser", "Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) c;", "c.count(1);", ["P40442"]],
    ["parser", "Checksum() c;", "c.add({ hdr.h.b });", []],
  ])("%s: %s", (place, locals, use, expected) => {
    const parts: TnaParts =
      place === "control"
        ? { locals, ingress: use }
        : place === "deparser"
          ? { deparserLocals: locals, deparser: `${use} pkt.emit(hdr);` }
          : { parserLocals: locals, states: `state next { ${use} transition accept; }` };
    expect(codes(parts)).toEqual(expected);
  });
});

describe("deparsers", () => {
  it.each([
    ["pkt.emit(hdr.h);", []],
    ["if (hdr.h.isValid()) { pkt.emit(hdr.h); }", ["P40443"]],
    ["if (dprsr.mirror_type == 1) { m.emit(10w1); } pkt.emit(hdr);", []],
    ["m.emit(10w1); pkt.emit(hdr);", ["P40443"]],
    ["if (dprsr.mirror_type > 1) { m.emit(10w1); } pkt.emit(hdr);", ["P40443"]],
    ["if (dprsr.mirror_type == 1) { numbered.emit(10w1); } pkt.emit(hdr);", []],
    ["hdr.h.a = 1; pkt.emit(hdr);", ["P40443"]],
    ["if (dprsr.mirror_type == 1) { hdr.h.a = 1; m.emit<h_t>(10w1, hdr.h); } pkt.emit(hdr);", []],
  ])("%s", (deparser, expected) => {
    expect(codes({ deparserLocals: "Mirror() m; Mirror(2) numbered;", deparser })).toEqual(expected);
  });
});

describe("tables", () => {
  const keys = (key: string, more = "", arch: "tna" | "t2na" = "tna") =>
    codes({
      arch,
      locals: `${more.startsWith("@") ? more : ""} table t { key = { ${key} } actions = { NoAction; } ${more.startsWith("@") ? "size = 500000;" : more} }`,
      ingress: "t.apply();",
    });

  it.each([
    ["hdr.h.a : lpm; hdr.h.b : exact;", []],
    ["hdr.h.a : lpm; hdr.h.b : lpm;", ["P40444"]],
    ["hdr.h.a : lpm; hdr.h.b : ternary;", ["P40444"]],
    ["hdr.h.a : lpm; hdr.h.b : range;", ["P40444"]],
    ["hdr.h.a : ternary; hdr.h.b : range;", []],
  ])("with the key %s", (key, expected) => {
    expect(keys(key)).toEqual(expected);
  });

  it("have as many ternary bits as the chip: 12 or 20 stages with 540,672 bits each", () => {
    // 16 bits an entry: 405,504 and 675,840 entries.
    expect(keys("hdr.h.a : ternary;", "size = 405504;")).toEqual([]);
    expect(keys("hdr.h.a : ternary;", "size = 405505;")).toEqual(["P40444"]);
    expect(keys("hdr.h.a : ternary;", "size = 675840;", "t2na")).toEqual([]);
    expect(keys("hdr.h.a : ternary;", "size = 675841;", "t2na")).toEqual(["P40444"]);
    expect(keys("hdr.h.a : exact;", "size = 675841;")).toEqual([]);
    expect(keys("hdr.h.a : ternary;", "@atcam_number_partitions(64)")).toEqual([]);
  });

  it("name the direct instances that their actions use", () => {
    const direct = (property: string) =>
      codes({
        locals: `DirectCounter<bit<32>>(CounterType_t.BYTES) c; DirectCounter<bit<32>>(CounterType_t.BYTES) d;
          action a() { c.count(); } table t { key = { hdr.h.a : exact; } actions = { a; } ${property} }`,
        ingress: "t.apply();",
      });
    expect(direct("counters = c;")).toEqual([]);
    expect(direct("")).toEqual(["P40445"]);
    expect(direct("counters = d;")).toEqual(["P40445"]);
  });

  it.each([
    ["t.apply(); t.apply();", ["P40446"]],
    ["if (meta.z == 1) { t.apply(); } else { t.apply(); }", []],
    ["if (meta.z == 1) { t.apply(); } t.apply();", ["P40446"]],
    ["if (meta.z == 1) { t.apply(); exit; } t.apply();", []],
    ["if (meta.z == 1) { t.apply(); return; } t.apply();", []],
    ["if (u.apply().hit) { t.apply(); } else { t.apply(); }", []],
    ["switch (u.apply().action_run) { NoAction : { t.apply(); } default : { } } t.apply();", ["P40446"]],
  ])("are met once: %s", (ingress, expected) => {
    expect(codes({ locals: table("t", "NoAction") + table("u", "NoAction"), ingress })).toEqual(expected);
  });
});

describe("registers, counters and meters", () => {
  it("have four programs", () => {
    const some = (count: number, more = "") =>
      codes({
        locals:
          register() +
          Array.from({ length: count }, (_, index) => act(`a${index}`, `v = ${index}; o = v;`)).join("") +
          table("t", "b", "action b() { r.write(0, 1); }"),
        ingress: `if (meta.z == 0) { meta.x = a0.execute(0); } else { ${more} }`,
      });
    expect(some(4)).toEqual([]);
    expect(some(5)).toEqual(["P40447"]);
    expect(some(4, "t.apply();")).toEqual(["P40447"]);
  });

  it.each([
    ["meta.x = r.read(0); s.write(0, 1);", []],
    ["meta.x = r.read(0); s.write(1, 1);", ["P40448"]],
    ["meta.x = r.read(meta.z); s.write(meta.z, 1);", []],
    ["meta.x = r.read(meta.z); s.write(hdr.h.a[7:0], 1);", []],
    ["meta.x = r.read(meta.z); s.write(meta.w, 1);", ["P40448"]],
    ["meta.w = meta.z; meta.x = r.read(meta.z); s.write(meta.w, 1);", []],
  ])("are read and written at one address in an action: %s", (body, expected) => {
    const locals = `${register()} Register<bit<16>, bit<8>>(16) s; action a() { ${body} }`;
    expect(codes({ metadata: "bit<8> w;", locals, ingress: "a();" })).toEqual(expected);
    expect(codes({ metadata: "bit<8> w;", locals: locals + table("t", "a"), ingress: "t.apply();" })).toEqual(
      expected,
    );
  });

  it.each([
    ["r.write(0, 1);", "meta.x = r.read(0);", "t.apply(); u.apply();", ["P40449"]],
    ["r.write(0, 1);", "meta.x = r.read(0);", "if (meta.z == 1) { t.apply(); } else { u.apply(); }", []],
    ["c.count(1);", "c.count(2);", "t.apply(); u.apply();", ["P40449"]],
    ["c.count(1);", "c.count(2);", "if (t.apply().miss) { u.apply(); }", []],
    ["c.count(1);", "r.write(0, 1);", "t.apply(); u.apply();", []],
  ])("are used in one table: %s and %s with %s", (first, second, ingress, expected) => {
    const locals = (annotation: string) =>
      `${register()} Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) c; action a() { ${first} } action b() { ${second} }
      ${annotation} ${table("t", "a")} ${table("u", "b")}`;
    expect(codes({ locals: locals(""), ingress })).toEqual(expected);
    expect(codes({ locals: locals('@ignore_table_dependency("I.u")'), ingress })).toEqual([]);
  });

  it("are used once in an action", () => {
    const action = (body: string) =>
      codes({
        locals: `${register()} ${act("up", "v = v + 1; o = v;")} ${act("down", "v = v - 1; o = v;")}
          Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) c; action a() { ${body} }`,
        ingress: "a();",
      });
    expect(action("meta.x = up.execute(0); c.count(1);")).toEqual([]);
    expect(action("meta.x = up.execute(0); hdr.h.b = up.execute(0);")).toEqual(["P40454"]);
    expect(action("meta.x = up.execute(0); hdr.h.b = down.execute(0);")).toEqual(["P40454"]);
    expect(action("c.count(1); c.count(2);")).toEqual(["P40454"]);
  });
});

describe("addresses of counters, meters and registers", () => {
  const counters =
    "Counter<bit<32>, bit<8>>(16, CounterType_t.BYTES) c; Counter<bit<32>, bit<8>>(16, CounterType_t.BYTES) d;";
  const locals = (
    ...actions: string[]
  ) => `${counters} Meter<bit<8>>(16, MeterType_t.BYTES) m; DirectCounter<bit<32>>(CounterType_t.BYTES) own;
    ${register()} ${act("up", "v = v + 1; o = v;")}
    ${actions.map((body, i) => `action a${i}(bit<8> i, bit<8> j, bit<32> n) { ${body} }`).join("\n")}
    table t { key = { hdr.h.a : exact; } counters = own; actions = { ${actions.map((_, i) => `a${i};`).join(" ")} } }`;
  it.each<[string[], string[]]>([
    [["c.count(i); d.count(i);"], []],
    [["c.count(i); d.count(j);"], ["P40458"]],
    [["c.count(1); d.count(2);"], ["P40458"]],
    [["c.count(i); m.execute(j);"], []],
    [["m.execute(i); meta.x = up.execute(j);"], ["P40458"]],
    [["m.execute(i); meta.x = up.execute(i);"], []],
    // What is computed before is not compared.
    [["bit<8> k = hdr.h.a[7:0] + 1; c.count(k); d.count(i);"], []],
    [["c.count(i);", "d.count(i);"], ["P40458"]],
    [["c.count(i);", "c.count(j);"], []],
    [["c.count(i); d.count(i);", "meta.x = 1;"], []],
    // One that an entry has for itself is not asked for.
    [["own.count();", "c.count(i);"], []],
    [["own.count(); c.count(i);"], ["P40458"]],
    [["c.count(i); d.count(i);", "c.count(i);"], ["P40458"]],
    [["c.count(i, 4);"], []],
    [["c.count(i, n);"], ["P40459"]],
    [["bit<32> four = 4; c.count(i, four);"], []],
    [["m.execute(i, n);"], ["P40459"]],
    [["m.execute(i, 2 + sizeInBytes(hdr.h));"], []],
  ])("%s", (actions, expected) => {
    expect(codes({ locals: locals(...actions), ingress: "t.apply();" })).toEqual(expected);
  });

  it("do not count of actions for a miss", () => {
    const tables = `${counters} action a(bit<8> i) { c.count(i); } action b() { d.count(1); }
      table t { key = { hdr.h.a : exact; } actions = { a; @defaultonly b; } default_action = b(); }`;
    expect(codes({ locals: tables, ingress: "t.apply();" })).toEqual([]);
    expect(codes({ locals: tables.replace("@defaultonly ", ""), ingress: "t.apply();" })).toEqual(["P40458"]);
  });

  it("of actions that the control calls", () => {
    const call = (body: string) => codes({ locals: `${counters} action a() { ${body} }`, ingress: "a();" });
    expect(call("c.count(1); d.count(1);")).toEqual([]);
    expect(call("c.count(1); d.count(2);")).toEqual(["P40458"]);
  });
});

describe("fields that a parser writes", () => {
  /** States of a chain, each with its statements, that may end anywhere. */
  const chain = (arch: "tna" | "t2na", ...bodies: string[]) => {
    const name = (i: number) => (i === 0 ? "next" : `s${i}`);
    const states = bodies.map((body, i) => {
      const go =
        i + 1 < bodies.length
          ? `transition select(hdr.h.a) { 1: ${name(i + 1)}; default: accept; }`
          : "transition accept;";
      return `state ${name(i)} { ${body} ${go} }`;
    });
    return codes({
      arch,
      parserLocals: "Checksum() one; Checksum() two;",
      states: states.join("\n"),
      metadata: "bool ok;",
    });
  };
  const h = "pkt.extract(hdr.h);";
  it.each<[string, string[], string[], string[]]>([
    ["once", [h, "meta.z = 1;"], [], []],
    ["twice", [`${h} meta.z = 1;`, "meta.z = 2;"], ["P40457"], []],
    ["twice the same", [`${h} meta.z = 1;`, "meta.z = 1;"], [], []],
    ["zero first", [`${h} meta.z = 0;`, "meta.z = 2;"], [], []],
    ["more bits each time", [`${h} meta.z = 1;`, "meta.z = 3;"], [], []],
    ["all ones over bits of the packet", [`${h} meta.z = hdr.h.a[7:0];`, "meta.z = 255;"], [], []],
    ["bits of the packet over a constant", [`${h} meta.z = 1;`, "meta.z = hdr.h.a[7:0];"], ["P40457"], []],
    ["in one state, where the last counts", [`${h} meta.z = 1; meta.z = 2;`], [], []],
    ["ored", [`${h} meta.z = 1;`, "meta.z = meta.z | 2;"], [], []],
    ["ored and not", [`${h} meta.z = 1;`, "meta.z = 2;", "meta.z = meta.z | 4;"], ["P40457"], ["P40457"]],
    ["a header twice", [h, h], ["P40457"], []],
    ["by two checksums", [`${h} meta.ok = one.verify();`, "meta.ok = two.verify();"], ["P40457"], ["P40457"]],
    [
      "by two checksums, ored",
      [`${h} meta.ok = one.verify();`, "meta.ok = two.verify() || meta.ok;"],
      [],
      [],
    ],
    [
      "two residuals",
      [`${h} one.subtract_all_and_deposit(meta.x);`, "two.subtract_all_and_deposit(meta.x);"],
      ["P40457"],
      ["P40457"],
    ],
    [
      "residuals in two fields",
      [`${h} one.subtract_all_and_deposit(meta.x);`, "two.subtract_all_and_deposit(hdr.k.a);"],
      [],
      [],
    ],
  ])("%s", (_, bodies, first, second) => {
    expect(chain("tna", ...bodies)).toEqual(first);
    expect(chain("t2na", ...bodies)).toEqual(second);
  });

  it("are judged by the ways on", () => {
    const states = (
      b: string,
      c: string,
    ) => `state next { pkt.extract(hdr.h); meta.z = 1; transition select(hdr.h.a) { 1: b; 2: c; } }
      state b { ${b} transition accept; } state c { ${c} transition accept; }`;
    // One way on does not write the field again: p4c warns only.
    expect(codes({ states: states("meta.z = 2;", "") })).toEqual([]);
    expect(codes({ states: states("meta.z = 2;", "meta.z = 4;") })).toEqual(["P40457"]);
    // States that exclude each other.
    expect(codes({ states: states("meta.y = 1;", "meta.y = 2;") })).toEqual([]);
  });

  it("are left out in loops, in parts and with next", () => {
    const loop =
      "state next { pkt.extract(hdr.h); transition select(hdr.h.a) { 1: next; default: accept; } }";
    expect(codes({ states: loop })).toEqual([]);
    const parts =
      "state next { meta.z[3:0] = 1; transition s; } state s { meta.z[7:4] = 2; transition accept; }";
    expect(codes({ states: parts })).toEqual([]);
  });
});

describe("states of parsers", () => {
  it.each<[string, string[]]>([
    ["state next { pkt.extract(hdr.h); transition accept; }", []],
    ["state next { pkt.advance(16); transition accept; }", []],
    [
      "state next { pkt.advance(12); transition last; } state last { pkt.advance(4); transition accept; }",
      ["P40461", "P40461"],
    ],
    ["state next { pkt.advance(12); pkt.advance(4); transition accept; }", []],
  ])("%s", (states, expected) => {
    for (const arch of ["tna", "t2na"] as const) expect(codes({ arch, states })).toEqual(expected);
  });
});

describe("the counter of a short egress parser", () => {
  const program = (states: string, arch: "tna" | "t2na" = "tna") => {
    const text = tna({ arch, top: "header long_t { bit<520> all; } struct more_t { long_t l; }" }).replace(
      "state start { pkt.extract(eg); transition accept; }",
      `ParserCounter() left; ${states}`,
    );
    const diagnostics = new Diagnostics();
    build({ file: text }, diagnostics);
    return diagnostics.list.filter(({ severity }) => severity === "error").map(({ code }) => code);
  };
  it("is the compiler's own where the headers are one header", () => {
    const one = tna({})
      .replace("parser EP(packet_in pkt, out headers_t hdr", "parser EP(packet_in pkt, out h_t hdr")
      .replace("control E(inout headers_t hdr", "control E(inout h_t hdr")
      .replace("control ED(packet_out pkt, inout headers_t hdr", "control ED(packet_out pkt, inout h_t hdr")
      .replace(
        "state start { pkt.extract(eg); transition accept; }",
        "ParserCounter() left; state start { pkt.extract(eg); left.set(8w1); transition accept; }",
      );
    const diagnostics = new Diagnostics();
    build({ file: one }, diagnostics);
    expect(diagnostics.list.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual(
      [],
    );
  });

  it.each<[string, string[]]>([
    ["state start { pkt.extract(eg); left.set(8w1); transition accept; }", ["P40460"]],
    ["state start { pkt.extract(eg); transition accept; }", []],
    ["state start { pkt.extract(eg); left.set(8w1); pkt.advance(520); transition accept; }", []],
    [
      "state start { pkt.extract(eg); left.set(8w1); transition select(eg.egress_port) { 1: l; default: accept; } } state l { pkt.advance(520); transition accept; }",
      ["P40460"],
    ],
  ])("%s", (states, expected) => {
    expect(program(states)).toEqual(expected);
    expect(program(states, "t2na")).toEqual([]);
  });
});

describe("the stateful ALU", () => {
  const program = (body: string, type = "bit<16>", arch: "tna" | "t2na" = "tna", top = "") =>
    codes({
      arch,
      top,
      locals: `${register(type)} ${act("a", body, type)}`,
      ingress: "meta.x = a.execute(0);",
    });

  it.each([
    ["if (v == 1 || v == 2) { o = 1; }", [], []],
    ["if (v == 1 || v == 2 || v == 3) { o = 1; }", ["P40455"], []],
    // The opposite of a comparison is the same comparison.
    [
      "if (v == 1) { o = 1; } if (v != 1) { o = 2; } if (v < hdr.h.a) { v = 1; } if (v >= hdr.h.a) { v = 0; }",
      [],
      [],
    ],
    ["if (v == 1 || v == 2 || v == 3 || v == 4 || v == 5) { o = 1; }", ["P40455"], ["P40455"]],
  ])("compares two values on Tofino, four on Tofino 2: %s", (body, one, two) => {
    expect(program(body)).toEqual(one);
    expect(program(body, "bit<16>", "t2na")).toEqual(two);
  });

  it.each([
    ["bit<8>", [], []],
    ["int<32>", [], []],
    ["bit<64>", [], []],
    ["bit<128>", ["P40456"], []],
    ["bit<24>", ["P40456"], ["P40456"]],
    ["bit<4>", ["P40456"], ["P40456"]],
    ["two_t", [], []],
    ["other_t", ["P40456"], ["P40456"]],
    ["three_t", ["P40456"], ["P40456"]],
    ["wide_t", ["P40456"], []],
  ])("has entries of %s", (type, one, two) => {
    const top = `struct two_t { bit<32> a; bit<32> b; } struct other_t { bit<32> a; bit<16> b; }
      struct three_t { bit<8> a; bit<8> b; bit<8> c; } struct wide_t { bit<64> a; bit<64> b; }`;
    expect(program("o = 1;", type, "tna", top)).toEqual(one);
    expect(program("o = 1;", type, "t2na", top)).toEqual(two);
  });

  it("says nothing of a register that nothing uses", () => {
    expect(codes({ locals: register("bit<24>") })).toEqual([]);
  });
});

describe("operations", () => {
  it.each([
    ["meta.x = hdr.h.a / 4;", []],
    ["meta.x = hdr.h.a % 8;", []],
    ["meta.x = hdr.h.a / 3;", ["P40450"]],
    ["meta.x = hdr.h.a % hdr.h.b;", ["P40450"]],
    ["meta.y = meta.y |+| 1;", []],
    ["meta.v = meta.v |+| 1;", ["P40450"]],
    ["meta.v = meta.v + 1;", []],
    ["meta.x = hdr.h.a << 3;", []],
    ["meta.x = hdr.h.a << meta.z;", ["P40450"]],
    // p4c puts the constant of a local in its place.
    ["bit<8> n = 3; meta.x = hdr.h.a << n;", []],
    ["meta.x = 1 + (hdr.h.a >> (bit<16>) meta.one);", ["P40450"]],
  ])("%s", (ingress, expected) => {
    expect(codes({ metadata: "bit<48> v;", ingress })).toEqual(expected);
  });

  it("divide in a RegisterAction of Tofino 2 alone", () => {
    const divides = (arch: "tna" | "t2na") =>
      codes({ arch, locals: register() + act("a", "o = v / 3;"), ingress: "meta.x = a.execute(0);" });
    expect(divides("tna")).toEqual(["P40450"]);
    expect(divides("t2na")).toEqual([]);
  });

  it.each([
    ["hdr.h.setValid();", []],
    ["hdr.o.setValid();", ["P40451"]],
    ["hdr.o.setInvalid();", []],
    ["hdr.o.n = 1;", []],
  ])("leave varbits to parser and deparser: %s", (ingress, expected) => {
    const text = tna({ ingress }).replace(
      "struct headers_t {",
      "header o_t { bit<8> n; varbit<64> v; }\nstruct headers_t { o_t o;",
    );
    const diagnostics = new Diagnostics();
    build({ file: text }, diagnostics);
    expect(diagnostics.list.map(({ code }) => code)).toEqual(expected);
  });

  it("hash at least one field; only hashes are symmetric", () => {
    const hash = (data: string) =>
      codes({ locals: "Hash<bit<16>>(HashAlgorithm_t.CRC16) h;", ingress: `meta.x = h.get(${data});` });
    expect(hash("{ hdr.h.a }")).toEqual([]);
    expect(hash("{}")).toEqual(["P40452"]);
    const symmetric = (instance: string, use: string) =>
      codes({ locals: `@symmetric("hdr.h.a", "hdr.h.b") ${instance}`, ingress: use });
    expect(
      symmetric("Hash<bit<16>>(HashAlgorithm_t.CRC16) h;", "meta.x = h.get({ hdr.h.a, hdr.h.b });"),
    ).toEqual([]);
    expect(symmetric("Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) c;", "c.count(1);")).toEqual([
      "P40453",
    ]);
  });
});
