/** Every program of test/bad/fit is refused on Tofino 1 with the code in its name, at a place, with an alternative. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compileText, loadTarget } from "./golden.js";
import { wrap } from "./programs.js";

const folder = join(import.meta.dirname, "../../bad/fit");
const tofino = loadTarget("tofino");

describe("advice of a refusal", () => {
  const noteOf = (statement: string, locals = "") => {
    const { program, error } = compileText(wrap("bit<32> a; bit<32> b; bit<8> c;", locals, statement));
    expect(error).toBeUndefined();
    return fitProgram(program!, tofino)
      .diagnostics.filter((d) => d.severity === "error")
      .map((d) => [d.message, d.notes[0]!.message]);
  };

  it("names parameters of actions, and does not move them to the control", () => {
    const action = `action go(bit<8> kind, bit<32> base) { h.d.a = kind == 1 ? h.d.a |-| 1 : h.d.b; hash(h.d.b, HashAlgorithm.crc32, base, { h.d.a }, 32w16); }
      table t { key = { h.d.c : exact; } actions = { go; } }`;
    const [conditional, hash] = noteOf("t.apply();", action);
    expect(conditional).toEqual([
      "tofino: no ALU computes (kind == 1) ? (d.a |-| 1) : d.b: an action has no conditional value",
      "write one action for each case: the entry that supplies the parameter can choose the action instead",
    ]);
    expect(hash![0]).toBe("tofino: a hash with base base");
  });

  it("comes once for an action of two tables", () => {
    const tables = ["t", "u"].map((name) => `table ${name} { key = { h.d.c : exact; } actions = { go; } }`);
    const action = "action go() { h.d.a = h.d.a * 3; }";
    const notes = noteOf("t.apply(); u.apply();", [action, ...tables].join(" "));
    expect(notes.map(([message]) => message)).toEqual([
      "tofino: no ALU computes d.a * 3: there is no multiplier",
    ]);
  });

  it("moves conditions on fields to the control, as P4", () => {
    expect(
      noteOf("h.d.a = h.d.c == 1 && h.d.d.isValid() ? h.d.a : h.d.b;".replace("h.d.d", "h.d"))[0]![1],
    ).toContain("branch in the control: if ((d.c == 1) && d.isValid()) one, else the other");
  });
});

describe("a refusal of a long expression", () => {
  it("leaves its inner parts out", () => {
    const line = "x = x >= h.d.b ? x - h.d.b : x + h.d.b;";
    const { program, error } = compileText(
      wrap(
        "bit<32> a; bit<32> b;",
        `action go() { bit<32> x = h.d.a; ${line.repeat(5)} h.d.a = x; }`,
        "go();",
      ),
    );
    expect(error).toBeUndefined();
    const { diagnostics } = fitProgram(program!, tofino);
    expect(diagnostics.some(({ message }) => message.includes("…"))).toBe(true);
    for (const { message, notes } of diagnostics)
      for (const text of [message, ...notes.map((note) => note.message)])
        expect(text.length).toBeLessThan(400);
  });
});

describe("what Tofino lacks", () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith(".p4")))("%s", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const file = new SourceFile(name, text);
    const { program, error } = compileText(text, name);
    expect(error).toBeUndefined();
    const [pipe] = pipesOf(program!);
    const fitted = pipe === undefined ? program! : onePipe(program!, pipe);
    const result = fitProgram(fitted, tofino, { sources: (path) => (path === name ? file : undefined) });
    expect(result.verdict).toBe("refused");
    const errors = result.diagnostics.filter((d) => d.severity === "error");
    expect(errors.map((d) => d.code)).toContain(name.slice(0, 6));
    const [first] = errors.filter((d) => d.code === name.slice(0, 6));
    expect(first!.notes.length).toBeGreaterThan(0);
    // A limit of the whole program has no line.
    if (name.startsWith("P44024")) return;
    expect(first!.span?.file).toBe(file);
    expect(file.position(first!.span!.start).line).toBeGreaterThan(9);
  });

  it("is not held against programs that do it another way", () => {
    const fine = [
      "h.d.a = h.d.a * 8;",
      "h.d.a = h.d.a / 4;",
      "h.d.a = h.d.a << 3;",
      "h.d.a = h.d.a |+| h.d.b;",
      "if (h.d.a == h.d.b) { h.d.c = 1; }",
      "if (h.d.c > 255) { h.d.a = 1; }",
      "if (h.d.c[11:0] < 1000) { h.d.a = 1; }",
      "hash(h.d.c, HashAlgorithm.crc16, 16w0, { h.d.a }, 32w65536);",
      "random(h.d.c, 16w0, 16w255);",
      "bit<32> t = h.d.a; h.d.a = h.d.b; h.d.b = t;",
      "h.d.a = h.d.a & ~h.d.b;",
      "bool one = h.d.a == 1; if (one) { h.d.b = 1; }",
      // The assignment is under a condition: what is tested later is the field.
      "bit<1> one; if (h.d.a == 5) { one = 1; } if (one == 1 || h.d.c == 7) { h.d.b = 1; }",
    ];
    for (const statement of fine) {
      const { program, error } = compileText(wrap("bit<32> a; bit<32> b; bit<16> c;", "", statement));
      expect([statement, error]).toEqual([statement, undefined]);
      expect([statement, fitProgram(program!, tofino).verdict]).toEqual([statement, "placed"]);
    }
  });

  it("is not held against a register that an action updates under a condition", () => {
    const verdict = (body: string, target = tofino) => {
      const locals = `register<bit<32>>(1024) r;
        action go(bit<32> v) { bit<32> c; r.read(c, h.d.i); ${body} }
        table t { key = { h.d.a : exact; } actions = { go; NoAction; } size = 64; default_action = NoAction(); }`;
      const { program, error } = compileText(wrap("bit<32> a; bit<32> b; bit<32> i;", locals, "t.apply();"));
      expect([body, error]).toEqual([body, undefined]);
      return fitProgram(program!, target).verdict;
    };
    for (const body of [
      "if (c < 100) { c = c + 1; } r.write(h.d.i, c);",
      // Each branch gives the cell its own value, so it never stays as it is.
      "if (c < 100) { c = c + 1; } else { c = 0; } r.write(h.d.i, c);",
      "if (c < 100) { c = c + 1; } else { c = h.d.b; } r.write(h.d.i, c); return;",
      "r.write(h.d.i, c + 1); exit;",
      "if (c < h.d.b) { r.write(h.d.i, h.d.b); } h.d.b = c;",
      "if (h.d.b == 1) { r.write(h.d.i, 0); } else { r.write(h.d.i, c + 1); }",
      "c = c < v ? v : c; r.write(h.d.i, c);",
    ]) {
      expect([body, verdict(body)]).toEqual([body, "placed"]);
    }
    const three = "if (c < 5) { c = 1; } else if (c > 9) { c = 2; } else { c = h.d.b; } r.write(h.d.i, c);";
    expect(verdict(three)).toBe("refused");
    const two = "if (c < 5) { c = 1; } else if (c > 9) { c = 2; } r.write(h.d.i, c);";
    expect([verdict(two), verdict(two, loadTarget("tofino2"))]).toEqual(["refused", "refused"]);
    expect(verdict("if (c < 5) { c = c * 3; } r.write(h.d.i, c);")).toBe("refused");
    expect(verdict("if (c < 5) { h.d.b = 1; } r.write(h.d.i, 1);")).toBe("refused");
  });

  it("swaps two fields in one stage, and takes a stage for each dependent statement", () => {
    const stages = (statement: string) =>
      fitProgram(compileText(wrap("bit<32> a; bit<32> b; bit<32> c;", "", statement)).program!, tofino)
        .stages;
    expect(stages("bit<32> t = h.d.a; h.d.a = h.d.b; h.d.b = t;")).toBe(1);
    expect(stages("h.d.a = h.d.a + 1; h.d.b = h.d.a + 1;")).toBe(2);
    expect(stages("h.d.a = h.d.a + 1; h.d.b = h.d.a + 1; h.d.c = h.d.b + h.d.a;")).toBe(3);
  });

  it("tests a named condition where it is used, and keeps its value when its field changes first", () => {
    const checked = (statement: string) =>
      fitProgram(compileText(wrap("bit<32> a; bit<32> b; bit<32> c;", "", statement)).program!, tofino);
    expect(checked("bool one = h.d.a == 1; if (one) { h.d.b = 1; }").stages).toBe(1);
    expect(checked("bool one = h.d.a == 1; h.d.a = h.d.c; if (one) { h.d.b = 1; }").verdict).toBe("refused");
    expect(
      fitProgram(
        compileText(wrap("bit<32> a; bit<8> b;", "", "h.d.b = (bit<8>) (bit<1>) (h.d.a == 1);")).program!,
        loadTarget("tofino2"),
      ).verdict,
    ).toBe("placed");
  });

  it("warns of an action whose steps need each other", () => {
    const action = "action go() { h.d.a = h.d.a + 1; h.d.b = h.d.a + 1; }";
    const { program } = compileText(wrap("bit<32> a; bit<32> b;", action, "go();"));
    const result = fitProgram(program!, tofino);
    expect(result.diagnostics.map((d) => [d.code, d.severity])).toEqual([["P44029", "warning"]]);
    expect([result.verdict, result.stages]).toEqual(["placed", 2]);
  });
});

describe("a table that a packet reaches a second time", () => {
  const table = `action go(bit<32> v) { h.d.b = v; }
    table t { key = { h.d.a : exact; } actions = { go; NoAction; } size = 64; default_action = NoAction(); }`;
  const verdicts = (apply: string) => {
    const { program, error } = compileText(wrap("bit<32> a; bit<32> b; bit<8> s;", table, apply), "p.p4");
    expect(error).toBeUndefined();
    // The program as its JSON has it, without the objects of the compiler.
    const read = { ...program!, bmv2: JSON.parse(JSON.stringify(program!.bmv2)) };
    return ["rmt", "tofino", "tofino2"].map((name) => {
      const { verdict, diagnostics } = fitProgram(read, loadTarget(name));
      const places = diagnostics.map((d) => `${d.code} line ${d.span!.file.position(d.span!.start).line}`);
      return [verdict, ...places].join(" ");
    });
  };

  it("is refused on every target, at the second place", () => {
    const line = wrap("bit<32> a; bit<32> b; bit<8> s;", table, "\n t.apply();\n t.apply();")
      .split("\n")
      .reduce((last, text, index) => (text.includes("t.apply();") ? index + 1 : last), 0);
    const refused = `refused P44042 line ${line}`;
    expect(verdicts("\n t.apply();\n t.apply();")).toEqual([refused, refused, refused]);
  });

  it("is accepted in exclusive branches", () => {
    expect(verdicts("if (h.d.s == 1) { t.apply(); } else { t.apply(); h.d.s = 2; }")).toEqual([
      "placed",
      "placed",
      "placed",
    ]);
  });
});

describe("a profile without a name", () => {
  const text = readFileSync(join(folder, "P44012-profile-without-a-name.p4"), "utf8");
  const codesOf = (change: (program: NonNullable<ReturnType<typeof compileText>["program"]>) => void) => {
    const program = structuredClone(compileText(text).program!);
    change(program);
    return fitProgram(program, tofino).diagnostics.map((d) => d.code);
  };

  it("is found where P4Info lacks it, as p4c writes it, whatever the JSON calls it", () => {
    expect(codesOf(() => {})).toContain("P44012");
    expect(
      codesOf((program) => {
        program.p4info.actionProfiles = [];
      }),
    ).toContain("P44012");
    expect(
      codesOf((program) => {
        const pipeline = program.bmv2.pipelines[0]!;
        pipeline.action_profiles[0]!.name = "chosen";
        for (const table of pipeline.tables) if (table.type !== "simple") table.action_profile = "chosen";
        program.p4info.actionProfiles[0]!.preamble!.name = "chosen";
      }),
    ).not.toContain("P44012");
  });
});
