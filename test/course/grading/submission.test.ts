/** What a submission can read, what a failure shows of its packets, and what a test says of files that are wrong. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { filesOf, readExercise } from "../../../src/course/exercises/index.js";
import { StepFailure } from "../../../src/course/grading/failure.js";
import { type RunTestOptions, runTests, Submission } from "../../../src/course/grading/index.js";
import { storyOf } from "../../../src/course/grading/run-test.js";
import { failureOf } from "../../../src/course/grading/submission.js";
import { DeviceError } from "../../../src/toolchain/device/index.js";
import type { PacketTrace } from "../../../src/toolchain/switch/index.js";

const folder = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");
const text = (path: string) => readFileSync(`${folder}/${path}`, "utf8");
const solution = text("solution/forwarding.p4");
const turn = () => new Promise<void>((done) => setImmediate(done));

/** Files of exercise 1 in the folder `ex`, with other texts; null: without this file. */
function exerciseOf(
  tests: string,
  more: Readonly<Record<string, string | null>> = {},
  handsIn = "forwarding.p4",
) {
  const yaml = `title: T\nabout: A\nhands_in: [${handsIn}]\ntests:\n${tests}`;
  const names = [
    "topology.json",
    "s1-runtime.json",
    "s2-runtime.json",
    "forwarding.p4",
    "solution/forwarding.p4",
  ];
  const texts = new Map([
    ["ex/exercise.yaml", yaml],
    ...names.map((name) => [`ex/${name}`, text(name)] as const),
  ]);
  for (const [path, content] of Object.entries(more)) {
    if (content === null) texts.delete(`ex/${path}`);
    else texts.set(`ex/${path}`, content);
  }
  const diagnostics = new Diagnostics();
  const exercise = readExercise(filesOf(texts), "ex", diagnostics);
  expect(diagnostics.list.map(({ message }) => message)).toEqual([]);
  return exercise!;
}

const fit = "  - { name: n, points: 3, fit: { target: rmt } }\n";
const steps = (line: string) => `  - { name: n, points: 3, steps: [${line}] }\n`;
const ping = steps("{ ping: { from: h1, to: h2 } }");

async function resultOf(
  exercise: ReturnType<typeof exerciseOf>,
  program = solution,
  options: Partial<RunTestOptions> = {},
) {
  const [result] = await runTests(exercise, new Map([["forwarding.p4", program]]), { turn, ...options });
  return result!;
}

describe("the files of a submission", () => {
  const submission = new Submission(
    exerciseOf(fit, { "include/own.p4": "own", "b.p4": "b" }, "forwarding.p4, b.p4"),
    new Map([
      ["forwarding.p4", "handed in"],
      ["topology.json", "not asked for"],
    ]),
  );

  it("are those that are handed in, and the exercise's others, but neither its starter nor its solution", () => {
    const { files } = submission;
    expect(files.read("ex/forwarding.p4")).toBe("handed in");
    expect(files.read("ex/topology.json")).toBe(text("topology.json"));
    expect(files.list("ex").toSorted()).toEqual([
      ...["exercise.yaml", "forwarding.p4", "include", "s1-runtime.json", "s2-runtime.json", "topology.json"],
    ]);
    expect(["ex/b.p4", "ex/solution", "ex/solution/forwarding.p4"].map(files.exists)).toEqual([
      false,
      false,
      false,
    ]);
    expect(files.exists("ex/include/own.p4")).toBe(true);
  });

  it("lack those that the exercise asks for", () => {
    expect(submission.missing).toMatchObject({
      expected: "the files forwarding.p4, b.p4",
      seen: "b.p4 is missing",
      details: [],
    });
    expect(new Submission(submission.exercise, new Map()).missing!.seen).toBe(
      "forwarding.p4, b.p4 are missing",
    );
    const all = new Map([
      ["forwarding.p4", ""],
      ["b.p4", ""],
    ]);
    expect(new Submission(submission.exercise, all).missing).toBeUndefined();
  });

  it("are found and compiled once", () => {
    const own = new Submission(exerciseOf(fit), new Map([["forwarding.p4", solution]]));
    expect(own.setup).toBe(own.setup);
    expect(own.program("ex/forwarding.p4")).toBe(own.program("ex/forwarding.p4"));
    const wrong = new Submission(exerciseOf(fit), new Map([["forwarding.p4", "x"]]));
    const thrown = [0, 1].map(() => {
      try {
        return wrong.program("ex/forwarding.p4");
      } catch (error) {
        return error;
      }
    });
    expect(thrown[0]).toBeInstanceOf(StepFailure);
    expect(thrown[1]).toBe(thrown[0]);
    expect(() => own.program("ex/other.p4")).toThrow(
      "expected a file ex/other.p4; seen: it was not handed in",
    );
  });

  it("may include programs of the exercise's folder, of which messages quote the lines", async () => {
    const include = { "include/own.p4": "const bit<8> OWN = 1;\n" };
    const program = `#include "include/own.p4"\n${solution}`;
    expect((await resultOf(exerciseOf(ping, include), program)).passed).toBe(true);
    const wrong = { "include/own.p4": "const bit<8> OWN = nothing;\n" };
    const { passed, details } = await resultOf(exerciseOf(ping, wrong), program);
    expect(passed).toBe(false);
    expect(details[0]).toMatch(/^ex\/include\/own\.p4:1:20: error/);
    // A file of this name outside of the folder, and a system file that only looks like one.
    for (const name of ['"../own.p4"', "<include/own.p4>", '"topology.json"'])
      expect((await resultOf(exerciseOf(ping, include), `#include ${name}\n${solution}`)).details[0]).toMatch(
        /error\[P401\d\d\]/,
      );
  });

  it("are wrong for every test where a switch's program is not clear", async () => {
    const topology = JSON.parse(text("topology.json")) as { switches: Record<string, object> };
    topology.switches["s1"] = { program: "build/none.json" };
    const { expected, seen, details, hint } = await resultOf(
      exerciseOf(ping.replace("points: 3", "points: 3, hint: H"), {
        "topology.json": JSON.stringify(topology),
      }),
    );
    expect([expected, seen, hint]).toEqual(["files that are consistent", "1 error", undefined]);
    expect(details[0]).toMatch(/error\[P43155\]: s1 runs build\/none\.json/);
  });
});

describe("the failure of a step", () => {
  const failing = (error: unknown) => {
    const { expected, seen, details } = failureOf(error, "all is well");
    return [expected, seen, details];
  };

  it("is that of the step, of the switch, or of the errors of a file", () => {
    const own = new StepFailure("a", "b");
    expect(failureOf(own, "c")).toBe(own);
    expect(failing(new DeviceError("NOT_FOUND", "no such table"))).toEqual([
      "all is well",
      "no such table",
      [],
    ]);
    const errors = (count: number) => {
      const diagnostics = new Diagnostics();
      diagnostics.warning("P43001", undefined, "only a warning");
      for (let i = 0; i < count; i++) diagnostics.error("P43002", undefined, `wrong ${i}`);
      try {
        diagnostics.throwIfErrors();
      } catch (error) {
        return error;
      }
      throw new Error("errors are expected");
    };
    expect(failing(errors(1))).toEqual(["all is well", "1 error", ["error[P43002]: wrong 0"]]);
    const [, seen, details] = failing(errors(7));
    expect([seen, (details as string[]).length]).toEqual(["7 errors", 5]);
    expect(() => failureOf(new TypeError("our own bug"), "c")).toThrow("our own bug");
  });
});

describe("a test of fit", () => {
  const target = (name: string) =>
    name === "rmt"
      ? new SourceFile(
          "rmt",
          readFileSync(resolve(import.meta.dirname, "../../../data/targets/rmt.yaml"), "utf8"),
        )
      : undefined;
  const stages = (count: number) => fit.replace("rmt", `rmt, stages: ${count}`);

  it("passes within the stages, and fails with the verdict beyond", async () => {
    expect((await resultOf(exerciseOf(fit), solution, { target })).passed).toBe(true);
    // The program takes two stages.
    expect((await resultOf(exerciseOf(stages(2)), solution, { target })).passed).toBe(true);
    const { passed, expected, seen } = await resultOf(exerciseOf(stages(1)), solution, { target });
    expect(passed).toBe(false);
    expect(expected).toMatch(/^forwarding\.p4 is placed in at most 1 stages of RMT/);
    expect(seen).toMatch(/: 2 of 32 stages/);
  });

  it("fails where there is no such target, or the program does not compile", async () => {
    const none = await resultOf(exerciseOf(fit.replace("rmt", "none")), solution, { target });
    expect([none.expected, none.seen]).toEqual(["a fit target none", "there is no target of this name"]);
    expect((await resultOf(exerciseOf(fit))).expected).toBe("a fit target rmt");
    expect((await resultOf(exerciseOf(fit), "x", { target })).expected).toBe(
      "a program that compiles: ex/forwarding.p4",
    );
  });

  it("may have its target among the files, which is checked", async () => {
    const own = fit.replace("rmt", "chip.json");
    const { seen, details, expected } = await resultOf(exerciseOf(own, { "chip.json": '{ "stages": "x" }' }));
    expect(expected).toBe("a program that the target accepts");
    expect(seen).toMatch(/error/);
    expect(details.join("\n")).toContain("ex/chip.json");
  });
});

describe("a packet test", () => {
  const stf = "  - { name: n, points: 3, stf: one.stf }\n";
  const script = (...lines: string[]) => ({ "one.stf": `${lines.join("\n")}\n` });
  const add = "add stations hdr.ethernet.dst:0x0800000000bb send_to(port:2)";
  const send = "packet 1 0800000000bb 0800000000aa 1234";

  it("passes where its packets arrive", async () => {
    const { passed, details, story } = await resultOf(
      exerciseOf(stf, script(add, send, "expect 2 0800000000bb 0800000000aa 1234 $")),
    );
    expect([passed, details, story]).toEqual([true, [], []]);
  });

  it("fails at its first wrong line, with the packet before it", async () => {
    const wrong = script(add, send, "expect 3 0800000000bb 0800000000aa 1234 $", send, "expect 4 00 $");
    const { passed, expected, place, details, story } = await resultOf(exerciseOf(stf, wrong));
    expect([passed, expected]).toEqual([false, "the packet test ex/one.stf passes"]);
    expect(place).toMatch(/^ex\/one\.stf:3:\d+$/);
    expect(details.length).toBeGreaterThan(0);
    expect(story.filter((line) => /packet/.test(line)).length).toBeGreaterThan(0);
  });

  it("fails with the errors of its script", async () => {
    const { expected, seen, story, place } = await resultOf(exerciseOf(stf, script("pakcet 1 00")));
    expect([expected, seen, story]).toEqual(["the packet test ex/one.stf passes", "1 error", []]);
    expect(place).toMatch(/^ex\/exercise\.yaml:/);
  });
});

describe("switches of a test", () => {
  const runtime = JSON.parse(text("s1-runtime.json")) as { table_entries: object[] };
  const withEntries = (...entries: object[]) => ({
    "s1-runtime.json": JSON.stringify({ ...runtime, table_entries: entries }),
  });
  const [first] = runtime.table_entries;

  it("that refuse their entries fail the test with the reasons", async () => {
    const { expected, details, seen } = await resultOf(exerciseOf(ping, withEntries(first!, first!)));
    expect(expected).toBe("switch s1 accepts its program and its entries");
    expect(seen!.length).toBeGreaterThan(0);
    // One reason: the update that was accepted, or would have been, has none.
    expect(details).toHaveLength(1);
  });

  it("that lack a table of their entries fail the test with the place of the entry", async () => {
    const { expected, seen, details } = await resultOf(
      exerciseOf(ping, withEntries({ ...first, table: "none" })),
    );
    expect([expected, seen]).toEqual(["switch s1 accepts its program and its entries", "1 error"]);
    expect(details[0]).toMatch(/^ex\/s1-runtime\.json:\d+:\d+: error/);
  });

  it("run the commands of their file, and fail the test where one is refused", async () => {
    const topology = JSON.parse(text("topology.json")) as {
      switches: Record<string, Record<string, string>>;
    };
    topology.switches["s1"] = { ...topology.switches["s1"], cli_input: "s1-commands.txt" };
    const files = (commands: string) => ({
      "topology.json": JSON.stringify(topology),
      "s1-commands.txt": commands,
    });
    const down = steps("{ ping: { from: h1, to: h2, answered: 0 } }");
    expect((await resultOf(exerciseOf(ping, files("")))).passed).toBe(true);
    expect((await resultOf(exerciseOf(down, files("table_clear stations")))).passed).toBe(true);
    const { expected, details } = await resultOf(exerciseOf(ping, files("table_clear nothing")));
    expect(expected).toBe("switch s1 accepts the commands of ex/s1-commands.txt");
    expect(details[0]).toMatch(/^ex\/s1-commands\.txt:1:\d+: error/);
  });
});

describe("the story of packets", () => {
  const submission = new Submission(exerciseOf(fit), new Map([["forwarding.p4", solution]]));

  /** Traces of a real switch: one for each ping of the test, at two switches. */
  async function traces(count: number): Promise<string[]> {
    const failing = steps(`{ ping: { from: h1, to: h2, count: ${count}, answered: 0 } }`);
    return [...(await resultOf(exerciseOf(failing))).story];
  }

  it("is that of the failed step, in the order of arrival, and ends where it becomes long", async () => {
    const one = await traces(1);
    expect(one.some((line) => /^s\d: packet/.test(line))).toBe(true);
    expect(one.join("\n")).not.toContain("more");
    const many = await traces(40);
    expect(many.length).toBeLessThanOrEqual(81);
    const shown = many.filter((line) => /^(s\d: )?packet \d/.test(line)).length;
    // Each ping passes a switch twice.
    expect(many.at(-1)).toBe(`... and ${2 * 40 - shown} more`);
  });

  it("is sorted by time, and keeps the order of traces of one time", async () => {
    let found: PacketTrace[] = [];
    const { SimulatedNetwork } = await import("../../../src/course/grading/simulated-network.js");
    const exercise = exerciseOf(steps("{ ping: { from: h1, to: h2, count: 2, answered: 0 } }"));
    const network = async (own: Submission) =>
      new SimulatedNetwork(own.exercise.topology, {
        ...{ frames: 1000, events: 10_000 },
        turn,
        trace: (one) => void found.push(one),
      });
    await resultOf(exercise, solution, { network });
    expect(found.length).toBeGreaterThan(2);
    const story = storyOf(found, submission);
    found = found.toReversed();
    expect(storyOf(found, submission)).toEqual(story);
    const [trace] = found;
    const at = (time_us: number, packet_id: number) =>
      ({ ...trace!, input: { ...trace!.input, time_us, packet_id } }) as PacketTrace;
    const order = [at(5, 1), at(3, 2), at(5, 3), at(3, 4)];
    const sorted = [order[1]!, order[3]!, order[0]!, order[2]!];
    expect(storyOf(order, submission)).toEqual(storyOf(sorted, submission));
  });
});

describe("a step that needs a controller or a digest", () => {
  it("fails where controllers cannot be run", async () => {
    const exercise = exerciseOf(ping, { "c.mjs": "" }, "forwarding.p4, c.mjs");
    const [result] = await runTests(
      { ...exercise, controller: "c.mjs" },
      new Map([
        ["forwarding.p4", solution],
        ["c.mjs", ""],
      ]),
      { turn },
    );
    expect([result!.expected, result!.seen]).toEqual([
      "the controller c.mjs runs",
      "controllers cannot be run here: use p4loom grade",
    ]);
  });

  it("fails where the program has no such digest", async () => {
    const { expected, seen } = await resultOf(
      exerciseOf(steps("{ digests: { switch: s1, digest: learn } }")),
    );
    expect([expected, seen]).toEqual(["a digest learn in the program of s1", "digests: none"]);
  });

  it("waits, and passes without packet-ins where none are expected", async () => {
    const line = "{ wait: 20ms }, { packet_ins: { switch: s1, count: 0 } }";
    expect((await resultOf(exerciseOf(steps(line)))).passed).toBe(true);
    expect((await resultOf(exerciseOf(steps("{ packet_ins: { switch: s1, count: 1 } }")))).seen).toBe(
      "0 came",
    );
  });
});
