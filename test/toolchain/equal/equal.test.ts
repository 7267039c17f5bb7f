/** Equal programs are proven equal, and changed ones have a packet that shows it; what random packets tell apart is never called equal. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, defined, Random, SourceFile } from "../../../src/base/index.js";
import {
  comparePrograms,
  type NameMap,
  nameProblems,
  renamed,
  tableDifference,
} from "../../../src/toolchain/equal/index.js";
import { chooseMutants, mutantsOf, mutatedText } from "../../../src/toolchain/mutation/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { generateTests, sentBy } from "../../../src/toolchain/testgen/index.js";

const root = resolve(import.meta.dirname, "../../..");
const CHOICES = readFileSync(join(root, "test/toolchain/coverage/programs/choices.p4"), "utf8");

function compiled(text: string): Program | undefined {
  return compile({ file: new SourceFile("program.p4", text) }, new Diagnostics())?.program;
}

function compare(a: Program, b: Program, paths = 5000) {
  let tried = 0;
  return comparePrograms(a, b, { seed: 1, entries: "same", goesOn: () => ++tried <= paths });
}

const original = compiled(CHOICES)!;

/** Two tables, actions, registers and meters that do different things, with the names A_ and B_, and parameters and keys X_ and Y_. */
const NAMED = `#include <core.p4>
#include <v1model.p4>
header data_t { bit<8> value; bit<8> more; }
struct headers { data_t data; }
struct metadata { }
parser P(packet_in packet, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { packet.extract(h.data); transition accept; }
}
control V(inout headers h, inout metadata m) { apply { } }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    register<bit<8>>(4) A_cells;
    register<bit<8>>(4) B_cells;
    meter(4, MeterType.packets) A_meter;
    meter(4, MeterType.packets) B_meter;
    action A_action(bit<8> X_, bit<8> Y_) { h.data.value = X_; h.data.more = Y_ + 1; A_cells.write(1, X_); }
    action B_action(bit<8> X_, bit<8> Y_) {
        bit<32> colour;
        A_meter.execute_meter(0, colour);
        h.data.value = Y_;
        B_cells.write(2, X_ + (bit<8>)colour);
    }
    table A_table {
        key = { h.data.value: exact @name("X_key"); h.data.more: exact @name("Y_key"); }
        actions = { A_action; NoAction; }
        default_action = NoAction();
        size = 64;
    }
    table B_table {
        key = { h.data.more: exact; }
        actions = { B_action; NoAction; }
        const default_action = NoAction();
        size = 32;
    }
    apply {
        s.egress_spec = 1;
        switch (A_table.apply().action_run) {
            A_action: { if (h.data.more == 9) { s.egress_spec = 2; } else { B_table.apply(); } }
            default: { s.egress_spec = 3; }
        }
    }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { } }
control C(inout headers h, inout metadata m) { apply { } }
control D(packet_out packet, in headers h) { apply { packet.emit(h.data); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`;

/** A table with an action profile; what differs needs a member. */
const PROFILE = `${NAMED.slice(0, NAMED.indexOf("    register<"))}
    action_profile(4) members;
    action hop(bit<9> port) { s.egress_spec = port; h.data.more = 3; }
    table routes {
        key = { h.data.value: exact; }
        actions = { hop; }
        implementation = members;
    }
    apply { s.egress_spec = 1; routes.apply(); }
}
${NAMED.slice(NAMED.indexOf("control E("))}`;

describe("equal programs", () => {
  it.each([
    ["itself", CHOICES],
    ["a sum in another form", CHOICES.replace("hdr.data.value + 1", "hdr.data.value - 255")],
    [
      "the branches the other way round",
      CHOICES.replace(
        "if (hdr.more.isValid() && hdr.more.port == 7)",
        "if (!(!hdr.more.isValid() || hdr.more.port != 7))",
      ),
    ],
    [
      "a field copied through a variable",
      CHOICES.replace(
        "sm.egress_spec = 7",
        "bit<8> port = hdr.more.port ^ 0; sm.egress_spec = (bit<9>) port",
      ),
    ],
    ["the states of the parser in one", CHOICES.replace("2: more;", "2 &&& 0xff: more;")],
  ])("are proven equal: %s", async (_, text) => {
    const { verdict, pairs, reasons } = await compare(original, compiled(text)!);
    expect([verdict, [...reasons]]).toEqual(["equal", []]);
    expect(pairs).toBeGreaterThan(5);
  });

  it("are not called equal where a limit ended the comparison", async () => {
    const { verdict, reasons } = await compare(original, compiled(CHOICES)!, 4);
    expect(verdict).toBe("bounded");
    expect([...reasons.keys()].join()).toMatch(/ended before all paths/);
  });
});

describe("different programs", () => {
  it.each([
    ["a constant", CHOICES.replace("sm.egress_spec = 7", "sm.egress_spec = 6")],
    [
      "an order",
      CHOICES.replace(
        "packet.emit(hdr.data);\n        packet.emit(hdr.more);",
        "packet.emit(hdr.more);\n        packet.emit(hdr.data);",
      ),
    ],
    [
      "one value of 65536",
      CHOICES.replace("hdr.more.port == 7)", "hdr.more.port == 7 && hdr.data.value != 0xbe)"),
    ],
    ["an entry", CHOICES.replace("3 : add_one()", "4 : add_one()")],
    ["a missing case", CHOICES.replace("1: accept;", "")],
  ])("have a packet that shows it: %s", async (name, text) => {
    const { verdict, difference } = await compare(original, compiled(text)!);
    if (name === "a missing case") {
      // A select without a match ends the parser as `accept` does, and nothing reads the error.
      expect(verdict).toBe("equal");
      return;
    }
    expect(verdict).toBe("different");
    expect(difference!.sent[0]).not.toEqual(difference!.sent[1]);
    expect(await sentBy(original, difference!.stimulus)).toEqual(difference!.sent[0]);
  });

  it("are found in the copy of a packet too", async () => {
    const cloning = CHOICES.replace("kinds.apply();", "kinds.apply(); clone(CloneType.I2E, 3);").replace(
      "control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {\n    apply { }",
      "control TheEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {\n    apply { if (sm.instance_type == 1) hdr.data.value = 1; }",
    );
    const other = cloning.replace("hdr.data.value = 1;", "hdr.data.value = 2;");
    expect((await compare(compiled(cloning)!, compiled(cloning)!)).verdict).toBe("equal");
    expect((await compare(compiled(cloning)!, compiled(other)!)).verdict).toBe("different");
  });

  it("never calls a mutant equal that sends something else", async () => {
    const file = new SourceFile("program.p4", CHOICES);
    const mutants = chooseMutants(mutantsOf(file, {}, new Diagnostics()), 24, 5);
    const { tests } = await generateTests(original, {
      seed: 2,
      maxTests: 40,
      allPaths: true,
      goesOn: () => true,
    });
    const random = new Random(9);
    const frames = Array.from({ length: 300 }, () =>
      Uint8Array.from({ length: random.int(5) }, () =>
        random.int(2) === 0 ? random.int(9) : random.int(256),
      ),
    );
    const stimuli = [
      ...tests.map(({ stimulus }) => stimulus),
      ...frames.map((bytes) => ({
        port: 1,
        bytes,
        commands: [],
        lines: [],
        leadsOut: new Set<number>(),
        model: new Map(),
      })),
    ];
    const verdicts = { equal: 0, different: 0, bounded: 0 };
    for (const mutant of mutants) {
      const changed = compiled(mutatedText(mutant));
      if (changed === undefined || tableDifference(original, changed) !== undefined) continue;
      const { verdict } = await compare(original, changed, 2000);
      verdicts[verdict]++;
      if (verdict !== "equal") continue;
      for (const stimulus of stimuli)
        expect(await sentBy(changed, stimulus), mutant.name).toEqual(await sentBy(original, stimulus));
    }
    expect(verdicts.different).toBeGreaterThan(5);
  });
});

it("names the first table that controllers would see differently", () => {
  const wider = compiled(
    CHOICES.replace("key = { hdr.data.kind : exact; }", "key = { hdr.data.value : ternary; }").replace(
      "3 : add_one()",
      "3 &&& 3 : add_one()",
    ),
  );
  expect(tableDifference(original, original)).toBeUndefined();
  expect(tableDifference(original, wider!)).toMatch(
    /^table TheIngress.kinds differs: .*exact<8>.*ternary<8>/,
  );
  expect(tableDifference(original, compiled(CHOICES.replaceAll("kinds", "sorts"))!)).toBe(
    "only the first program has table TheIngress.kinds",
  );
});

/** What a controller may do to a small program: each pair was once called equal. */
describe("programs that controllers can tell apart", () => {
  const program = (declarations: string, apply: string) =>
    compiled(`#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct headers_t { h_t h; }
struct meta_t { bit<8> m; }
parser Prs(packet_in pkt, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  state start { pkt.extract(hdr.h); transition accept; }
}
control Vfy(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
  action s1() { hdr.h.b = 1; }
  action s2(bit<8> v) { hdr.h.b = v; }
${declarations}
  apply { sm.egress_spec = 1; ${apply} }
}
control Egr(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) { apply { } }
control Cmp(inout headers_t hdr, inout meta_t m) { apply { } }
control Dep(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr.h); } }
V1Switch(Prs(), Vfy(), I(), Egr(), Cmp(), Dep()) main;
`)!;
  const table = (more: string, actions = "s1; s2;") =>
    `  table t { key = { hdr.h.a : exact; } actions = { ${actions} } size = 16; ${more} }`;

  it("by the parameters of a default action", async () => {
    const own = table("default_action = s2(5);", "@tableonly s1; s2;");
    const { verdict } = await compare(
      program(own, "t.apply();"),
      program(own, "if (!t.apply().hit) hdr.h.b = 5;"),
    );
    expect(verdict).toBe("different");
  });

  it("by changes of the entries that a program begins with: not all is compared", async () => {
    const own = table("default_action = s2(0); entries = { 1 : s1(); }");
    const { verdict, reasons } = await compare(
      program(own, "t.apply();"),
      program(own, "if (hdr.h.a == 1) hdr.h.b = 1; else t.apply();"),
    );
    expect(verdict).not.toBe("equal");
    expect([...reasons.keys()].join()).toContain("changes of entries that a program begins with");
  });

  it("by a meter that a packet meets twice: not all is compared", async () => {
    const meter = "  meter(16, MeterType.bytes) c;";
    const once = "bit<2> x; c.execute_meter(32w0, x); hdr.h.b = (bit<8>) x;";
    const twice =
      "bit<2> x; bit<2> y; c.execute_meter(32w0, x); c.execute_meter(32w0, y); hdr.h.b = (bit<8>) x; if (x != y) mark_to_drop(sm);";
    const { verdict } = await compare(program(meter, once), program(meter, twice));
    expect(verdict).not.toBe("equal");
  });

  it.each([
    ["group", "mark_to_drop(sm); sm.mcast_grp = 1;", "mark_to_drop(sm);"],
    ["clone session", "clone(CloneType.I2E, 5);", ""],
  ])("by a %s that one of them asks for, whichever comes first", async (_, more, less) => {
    const [a, b] = [program("", more), program("", less)];
    expect((await compare(a, b)).verdict).toBe("different");
    expect((await compare(b, a)).verdict).toBe("different");
    expect((await compare(a, program("", more))).verdict).toBe("equal");
  });

  it.each([
    ["a const default action", table("default_action = s2(5);"), table("const default_action = s2(5);")],
    ["const entries", table("entries = { 1 : s1(); }"), table("const entries = { 1 : s1(); }")],
    ["the scope of an action", table("", "@tableonly s1; s2;"), table("", "@defaultonly s1; s2;")],
    ["the size", table(""), table("").replace("size = 16", "size = 17")],
    ["the name of a key", table(""), table("").replace("exact;", 'exact @name("k");')],
  ])("by their tables: %s", (_, a, b) => {
    expect(tableDifference(program(a, "t.apply();"), program(b, "t.apply();"))).toMatch(
      /^table I\.t differs/,
    );
    expect(tableDifference(program(a, "t.apply();"), program(a, "t.apply();"))).toBeUndefined();
  });

  it.each([
    ["register<bit<8>>(4) r;", "register<bit<16>>(4) r;", "bit<8> x = 0; r.write(0, (TYPE) hdr.h.a);"],
    ["register<bit<8>>(4) r;", "register<bit<8>>(5) r;", "r.write(0, (TYPE) hdr.h.a);"],
  ])("by a register of another kind: %s %s", (a, b, apply) => {
    const typed = (text: string) => apply.replace("TYPE", /<(bit<\d+>)>/.exec(text)![1]!);
    expect(tableDifference(program(a, typed(a)), program(b, typed(b)))).toMatch(/^register I\.r differs/);
  });
});

describe("names of the second program", () => {
  const second = CHOICES.replaceAll("kinds", "sorts")
    .replaceAll("add_one", "increase")
    .replaceAll("TheIngress", "Other");
  const map = {
    tables: { "TheIngress.kinds": "Other.sorts" },
    actions: Object.fromEntries(
      original.bmv2.actions
        .filter(({ name }) => name.startsWith("TheIngress."))
        .map(({ name }) => [name, name.replace("TheIngress", "Other").replace("add_one", "increase")]),
    ),
    ...{ registers: {}, meters: {}, profiles: {}, keys: {}, parameters: {} },
  };

  it("are those of the first one where a map gives them, and the programs are compared as before", async () => {
    const other = compiled(second)!;
    expect(tableDifference(original, other)).toContain("TheIngress.kinds");
    expect(nameProblems(original, other, map)).toEqual([]);
    const same = renamed(other, map);
    expect(tableDifference(original, same)).toBeUndefined();
    // Nothing but places in the source keeps a name of the second program.
    const left = JSON.stringify(same, (key, value) =>
      key === "source_info" || key === "alias"
        ? undefined
        : typeof value === "bigint"
          ? String(value)
          : value,
    );
    expect(left.match(/"Other\.[^"]*"/g) ?? []).toEqual([]);
    expect((await compare(original, same)).verdict).toBe("equal");
    const changed = renamed(compiled(second.replace("sm.egress_spec = 7", "sm.egress_spec = 6"))!, map);
    expect((await compare(original, changed)).verdict).toBe("different");
    // The program itself keeps its names.
    expect(tableDifference(original, other)).toContain("TheIngress.kinds");
  });

  it("may be swapped, also those of keys and parameters, of registers and of meters", async () => {
    const text = (swap: boolean) => {
      const [a, b, x, y] = swap ? ["b", "a", "y", "x"] : ["a", "b", "x", "y"];
      return NAMED.replace(/\b(A|B|X|Y)_/g, (_, name: string) => ({ A: a, B: b, X: x, Y: y })[name]! + "_");
    };
    const [left, right] = [compiled(text(false))!, compiled(text(true))!];
    const pairs = (names: string[]) =>
      Object.fromEntries(
        names.flatMap((name) => [
          [`I.a_${name}`, `I.b_${name}`],
          [`I.b_${name}`, `I.a_${name}`],
        ]),
      );
    const parameters = { x_: "y_", y_: "x_" };
    const names = {
      tables: pairs(["table"]),
      actions: pairs(["action"]),
      registers: pairs(["cells"]),
      meters: pairs(["meter"]),
      profiles: {},
      keys: { "I.a_table": { x_key: "y_key", y_key: "x_key" } },
      parameters: { "I.a_action": parameters, "I.b_action": parameters },
    };
    expect(nameProblems(left, right, names)).toEqual([]);
    const same = await compare(left, renamed(right, names), 20_000);
    expect([same.verdict, [...same.reasons]]).toEqual(["equal", []]);
    const arrays = ({ p4info }: Program) =>
      [...p4info.registers, ...p4info.meters].map(({ preamble }) => preamble!.name);
    expect(arrays(renamed(right, names))).toEqual(
      arrays(right).map((name) => defined(pairs(["cells", "meter"])[name])),
    );
    // Under their own names a and b are one another.
    expect(tableDifference(left, right)).toBeDefined();
    const wrong = renamed(right, { ...names, registers: {} });
    expect((await compare(left, wrong, 20_000)).verdict).not.toBe("equal");
  });

  it("may be those of action profiles: a difference that needs a member is shown", async () => {
    const made = PROFILE.replaceAll("members", "choices");
    const [left, right] = [compiled(PROFILE)!, compiled(made.replace("more = 3", "more = 4"))!];
    const names = {
      ...{ tables: {}, actions: {}, registers: {}, meters: {}, keys: {}, parameters: {} },
      profiles: { "I.members": "I.choices" },
    };
    expect(nameProblems(left, right, names)).toEqual([]);
    const { verdict, difference } = await compare(left, renamed(right, names));
    expect(verdict).toBe("different");
    expect(difference!.stimulus.commands.join()).toContain("act_prof_create_member I.members");
    expect((await compare(left, renamed(compiled(made)!, names))).verdict).not.toBe("different");
    expect((await compare(left, right)).verdict).not.toBe("different");
  });

  it("are refused where a program does not have them, or where one would stand for two", () => {
    const other = compiled(second)!;
    const problems = (changes: Partial<NameMap>) =>
      nameProblems(original, other, { ...map, ...changes }).map(
        ({ path, message }) => `${path.join("/")}: ${message}`,
      );
    expect(problems({ tables: { "TheIngress.kindz": "Other.sorts" } })).toEqual([
      "tables/TheIngress.kindz: the first program has no TheIngress.kindz here; did you mean TheIngress.kinds?",
    ]);
    expect(problems({ tables: { "TheIngress.kinds": "Other.sort" } })).toEqual([
      "tables/TheIngress.kinds: the second program has no Other.sort here; did you mean Other.sorts?",
    ]);
    const [[one, first], [two]] = Object.entries(map.actions) as [[string, string], [string, string]];
    expect(problems({ actions: { ...map.actions, [two]: first } }).join()).toContain(
      `${first} stands for two names of the first program`,
    );
    expect(problems({ keys: { nothing: {} } })[0]).toBe("keys/nothing: not both programs have nothing");
    expect(problems({ parameters: { [one]: { none: "none" } } })[0]).toContain("has no none here");
    const again = nameProblems(original, original, {
      ...map,
      tables: {},
      actions: { "TheIngress.add_one": one === "TheIngress.add_one" ? two : one },
    });
    expect(again.map(({ message }) => message)).toEqual([
      "the second program has another TheIngress.add_one, which has no new name",
    ]);
  });
});

describe("without entries of a controller", () => {
  it("programs may have other tables, and are what their own entries make of packets", async () => {
    const other = compiled(CHOICES.replace("2: more;", "2 &&& 0xff: more;").replaceAll("kinds", "sorts"))!;
    const none = (a: Program, b: Program) =>
      comparePrograms(a, b, { seed: 1, entries: "none", goesOn: () => true });
    expect(await none(original, other)).toMatchObject({ verdict: "equal", entries: "none" });
    const changed = compiled(CHOICES.replace("3 : add_one()", "4 : add_one()"))!;
    const { verdict, difference } = await none(original, changed);
    expect(verdict).toBe("different");
    expect(difference!.stimulus.commands).toEqual([]);
  });

  it("what only an entry can show is no difference", async () => {
    const open = compiled(NAMED)!;
    const other = compiled(NAMED.replace("h.data.value = X_", "h.data.value = Y_"))!;
    expect((await compare(open, other, 20_000)).verdict).toBe("different");
    const none = await comparePrograms(open, other, { seed: 1, entries: "none", goesOn: () => true });
    expect([none.verdict, [...none.reasons]]).toEqual(["equal", []]);
  });
});

/** `ingress` and `egress`: statements; `members` stand in front of ingress. */
function small(ingress: string, { members = "", egress = "" } = {}): Program {
  const text = `${NAMED.slice(0, NAMED.indexOf("    register<"))}    ${members}
    apply { s.egress_spec = 1; ${ingress} }
}
${NAMED.slice(NAMED.indexOf("control E(")).replace("s) { apply { }", `s) { apply { ${egress} }`)}`;
  return defined(compiled(text));
}

describe("differences that one packet alone does not show", () => {
  const members = "register<bit<8>>(4) cells;";

  it("come with the content of registers that shows them", async () => {
    const a = small("bit<8> v; cells.read(v, 2); h.data.value = v;", { members });
    const b = small("h.data.value = 0;", { members });
    const { verdict, difference } = await compare(a, b);
    expect(verdict).toBe("different");
    expect(difference!.stimulus.commands.join()).toMatch(/register_write I\.cells 2 0x[0-9a-f]+/);
    expect(difference!.sent[0]).not.toEqual(difference!.sent[1]);
  });

  it("are found where only the second program has a branch for them", async () => {
    const b = small("if (h.data.value == 77 && h.data.more == 88) s.egress_spec = 2;");
    const { verdict, difference, pairs } = await compare(small(""), b);
    expect([verdict, pairs]).toEqual(["different", 0]);
    expect([...difference!.stimulus.bytes.subarray(0, 2)]).toEqual([77, 88]);
  });

  it("are not taken for none where ingress and egress draw random numbers", async () => {
    // Packets do not show it: one of 2^32 random numbers is the one that egress waits for. Were ingress's number egress's, no packet could.
    const draw = "bit<32> r; random(r, 0, 0xffffffff);";
    const drawn = `${draw} h.data.value = 0; if (r != 7) h.data.value = 1;`;
    const waits = { egress: `${draw} if (h.data.value == 1 && r == 7) h.data.more = 1;` };
    const { verdict, reasons } = await compare(small(drawn, waits), small(drawn, { egress: draw }));
    expect(verdict).toBe("bounded");
    expect([...reasons.keys()]).toEqual(["a possible difference that no replay on the switch shows"]);
  });

  it("are proven to be none where random numbers are drawn in the same order between the same bounds, and else not", async () => {
    const drawn = (more: string, high = "255", draws = "v = r; v = v ^ r;") => {
      const text = `bit<8> r; bit<8> v; random(r, 0, ${high}); ${draws} h.data.value = v; ${more}`;
      return small(text, { egress: "bit<8> r; random(r, 0, 7); if (r > h.data.more) h.data.more = r;" });
    };
    expect((await compare(drawn(""), drawn("h.data.value = 0;"))).verdict).toBe("equal");
    const value = (high: string) => drawn("", high, "v = r;");
    expect((await compare(value("255"), value("255"))).verdict).toBe("equal");
    // Packets with a seed of the switch show these, since it draws other numbers.
    expect((await compare(value("255"), value("254"))).verdict).not.toBe("equal");
    const rare = (high: string) => drawn("", high, "v = 0; if (r == 9 && h.data.more == 77) v = 1;");
    expect((await compare(rare("255"), rare("254"))).verdict).not.toBe("equal");
  });

  it("are not taken for none where the first bound of a random number may be larger", async () => {
    const turned = small("bit<8> r; random(r, h.data.more, 9); h.data.value = r;");
    const { verdict, reasons } = await compare(turned, turned);
    expect(verdict).toBe("bounded");
    expect([...reasons.keys()].join()).toContain("bounds of which the first is larger");
  });
});

it("copies that copy themselves without end are a reason, and no crash", async () => {
  const cloning = { egress: "clone(CloneType.E2E, 5);" };
  const { verdict, reasons } = await compare(small("", cloning), small("", cloning));
  expect(verdict).toBe("bounded");
  expect([...reasons.keys()]).toContain("not followed: more than 2 copies of a packet");
});

it("the end of the time ends a comparison within a path, too", async () => {
  let asked = 0;
  const { verdict, reasons } = await comparePrograms(original, original, {
    seed: 1,
    entries: "same",
    goesOn: () => true,
    hasTime: () => ++asked < 5,
  });
  expect(verdict).toBe("bounded");
  expect([...reasons.keys()].join()).toMatch(/the time/);
});
