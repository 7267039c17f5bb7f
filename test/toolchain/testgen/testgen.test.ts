/** Generated tests reach what they can, hold on the switch, and the symbolic execution says of each path what the switch does. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { Evaluator, Solver, Terms } from "../../../src/toolchain/solver/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { Explorer, freshSwitch, type Path } from "../../../src/toolchain/symbolic/index.js";
import { type Stimulus, stimulusOf } from "../../../src/toolchain/testgen/concrete.js";
import { generateTests, stfOf } from "../../../src/toolchain/testgen/index.js";
import { planOf } from "../../../src/toolchain/testgen/rules.js";
import { failing, missed } from "./made-tests.js";

const root = resolve(import.meta.dirname, "../../..");

function compiled(text: string): Program {
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("program.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

const read = (path: string) => readFileSync(join(root, path), "utf8");
const WAYS = read("test/toolchain/testgen/programs/ways.p4");
const UNIONS = read("test/toolchain/testgen/programs/unions.p4");
const CHOICES = read("test/toolchain/coverage/programs/choices.p4");

async function generated(program: Program, more: { seed?: number; maxTests?: number; paths?: number } = {}) {
  const { seed = 1, maxTests = 1000, paths = 3000 } = more;
  let tried = 0;
  return generateTests(program, { seed, maxTests, allPaths: false, goesOn: () => ++tried <= paths });
}

describe("tests", () => {
  it("reach every way through the switch, and hold", async () => {
    const program = compiled(WAYS);
    const found = await generated(program);
    expect(missed(found)).toEqual([]);
    expect(found.end).toBe("covered");
    expect(await failing(program, found)).toEqual([]);
  });

  it("reach every way through a program with a stack of header unions, and hold", async () => {
    const program = compiled(UNIONS);
    const found = await generated(program);
    expect(missed(found)).toEqual([]);
    expect(await failing(program, found)).toEqual([]);
  });

  it("are short where the parser passes bytes that nothing looks at", async () => {
    const text = CHOICES.replace("pkt.extract(hdr.data);", "pkt.extract(hdr.data); pkt.advance(8 * 40);");
    const found = await generated(compiled(text));
    expect(found.tests.length).toBeGreaterThan(3);
    for (const { stimulus } of found.tests) expect(stimulus.bytes.length).toBeLessThanOrEqual(64);
  });

  it("of one seed are the same bytes, and of another seed others", async () => {
    const texts = async (seed: number) =>
      (await generated(compiled(CHOICES), { seed })).tests.map((test) => stfOf(test, ""));
    const first = await texts(7);
    expect(await texts(7)).toEqual(first);
    expect(await texts(8)).not.toEqual(first);
  });

  it("see a change of a constant that they reach", async () => {
    const changed = compiled(CHOICES.replace("sm.egress_spec = 7", "sm.egress_spec = 8"));
    expect(await failing(changed, await generated(compiled(CHOICES)))).not.toEqual([]);
  });

  it("do not depend on chance: random bytes are open, and random decisions no test", async () => {
    const text = CHOICES.replace("kinds.apply();", "random(hdr.data.value, 8w0, 8w255); kinds.apply();");
    const found = await generated(compiled(text));
    const patterns = found.tests.flatMap((test) => stfOf(test, "").match(/^expect .*/gm) ?? []);
    // Of a packet that is too short there is no header, and nothing random in it.
    expect(
      patterns
        .filter((pattern) => !pattern.includes("*"))
        .every((one) => /^expect \d+ [0-9a-f]{0,2} \$$/.test(one)),
    ).toBe(true);
    expect(patterns.some((pattern) => pattern.includes("*"))).toBe(true);
    const decided = text.replace("hdr.data.kind == 2", "hdr.data.value < 128");
    const ends = await generated(compiled(decided), { paths: 60 });
    expect(ends.isComplete).toBe(false);
  });
});

describe("what is not reached", () => {
  const dead = CHOICES.replace("(hdr.data.kind == 2)", "(hdr.data.isValid() && hdr.data.kind == 2)")
    .replace(
      "add_one();\n    }",
      "if (hdr.data.kind > 9) add_one();\n    }",
      // Where a controller could choose, it could choose an action that reads a header that is not there.
    )
    .replace("default_action", "const default_action");

  it("is proven to be out of reach where all paths were followed", async () => {
    const found = await generated(compiled(dead));
    expect(missed(found)).toEqual(["56 hdr.data.kind > 9: true"]);
    expect([found.end, found.isComplete]).toEqual(["exhausted", true]);
  });

  it("does not call complete what a limit, chance or something unhandled ended", async () => {
    expect((await generated(compiled(dead), { maxTests: 1 })).isComplete).toBe(false);
    expect((await generated(compiled(dead), { paths: 3 })).isComplete).toBe(false);
    const register = dead
      .replace("action send()", "register<bit<8>>(1) r;\n    action send()")
      .replace("if (hdr.data.kind > 9)", "{ bit<8> v; r.read(v, 0); if (v > 9)")
      .replace("add_one();\n    }", "add_one(); }\n    }");
    const found = await generated(compiled(register));
    expect([found.end, found.isComplete]).toEqual(["exhausted", false]);
    expect([...found.unhandled.keys()].join()).toMatch(/registers and meters/);
    const truncating = await generated(
      compiled(dead.replace("kinds.apply();", "kinds.apply(); truncate(4);")),
    );
    expect(truncating.isComplete).toBe(false);
    expect([...truncating.unhandled.keys()].join()).toMatch(/(^|,)truncate \(program\.p4:\d+\)(,|$)/);
  });
});

describe("value sets of parsers", () => {
  const withSet = (states: string, cases: string) =>
    compiled(
      CHOICES.replace("state start {", "value_set<bit<8>>(4) others;\n    state start {")
        .replace("            1: accept;\n            2: more;", cases)
        .replace("    state more {", `${states}\n    state more {`),
    );
  const OTHER = "    state other {\n        packet.advance(8);\n        transition accept;\n    }";

  it("get the members that lead to what is behind them", async () => {
    const program = withSet(
      OTHER,
      "            others: other;\n            1: accept;\n            2: more;",
    );
    const found = await generated(program);
    expect(missed(found)).toEqual([]);
    const texts = found.tests.map((test) => stfOf(test, ""));
    expect(texts.join("")).toMatch(/^pvs_add TheParser\.others 0x[0-9a-f]{1,2}$/m);
    expect(await failing(program, found)).toEqual([]);
  });

  it("have a key for the whole way of a packet, or do not have it", async () => {
    const again = (first: string, second: string) =>
      `    state other {\n        transition select(hdr.data.kind) { others: ${first}; default: ${second}; }\n    }\n` +
      "    state never {\n        packet.advance(8);\n        transition accept;\n    }";
    const inside = withSet(again("accept", "never"), "            others: other;\n            2: more;");
    const outside = withSet(
      again("never", "accept"),
      "            others: accept;\n            3: other;\n            2: more;",
    );
    for (const program of [inside, outside]) {
      const found = await generated(program);
      expect(missed(found).filter((line) => line.includes("packet.advance(8)"))).toHaveLength(1);
      expect(found.end).toBe("exhausted");
      expect([...found.unhandled.keys()].join()).not.toContain("value set");
      expect(await failing(program, found)).toEqual([]);
    }
  });
});

describe("the time", () => {
  const long = (count: number) =>
    compiled(
      CHOICES.replace(
        "kinds.apply();",
        Array.from(
          { length: count },
          () => "hdr.data.value = hdr.data.value * hdr.data.value + hdr.data.kind;",
        ).join("\n"),
      ),
    );

  it("is looked at while one path makes its terms, with no decision between them", async () => {
    let asked = 0;
    const made = await generateTests(long(2000), {
      ...{ seed: 1, maxTests: 10, allPaths: false, goesOn: () => true },
      hasTime: () => ++asked < 5,
    });
    expect([made.end, asked, made.paths]).toEqual(["time", 5, 0]);
  });
});

describe("the symbolic execution", () => {
  async function sentBy(program: Program, { commands, port, bytes }: Stimulus) {
    const sent: { port: number; frame: string }[] = [];
    const clock = { now: () => 0, at: () => () => undefined };
    const device = new Switch(program, {
      clock,
      transmit: (to, frame) => sent.push({ port: to, frame: Buffer.from(frame).toString("hex") }),
    });
    const diagnostics = new Diagnostics();
    await runCommands(device, new SourceFile("commands", commands.join("\n")), diagnostics);
    expect(diagnostics.list).toEqual([]);
    device.receive(port, bytes);
    return sent;
  }

  function predicted({ outcome }: Path, { model, bytes }: Stimulus) {
    if (outcome.kind === "dropped") return undefined;
    const evaluator = new Evaluator(model);
    const { port, front, rest } = outcome;
    const head =
      front.width === 0
        ? ""
        : evaluator
            .valueOf(front)
            .toString(16)
            .padStart(front.width / 4, "0");
    return {
      port: Number(evaluator.valueOf(port)),
      frame: head + Buffer.from(bytes.subarray(rest)).toString("hex"),
    };
  }

  it.each([
    ["ways", WAYS, 120],
    ["choices", CHOICES, 30],
    ["unions", UNIONS, 150],
    ["prr/tor", read("p4/prr/tor.p4"), 40],
  ])("predicts what the switch does on the paths of %s", async (_, text, steps) => {
    const program = compiled(text);
    const solver = new Solver(new Terms());
    const explorer = new Explorer(planOf(program), solver, { seed: 3, environment: freshSwitch });
    let compared = 0;
    for (let i = 0; i < steps && !explorer.isExhausted; i++) {
      const path = explorer.step();
      const stimulus = path === undefined ? undefined : stimulusOf(path, solver);
      if (path === undefined || stimulus === undefined) continue;
      const sent = await sentBy(program, stimulus);
      const one = predicted(path, stimulus);
      const isCopy = path.situation.copies.length > 0;
      if (one === undefined) {
        if (!isCopy) expect(sent).toEqual([]);
      } else if (isCopy) expect(sent).toContainEqual(one);
      else expect(sent).toEqual([one]);
      compared++;
    }
    expect(compared).toBeGreaterThan(5);
  });
});
