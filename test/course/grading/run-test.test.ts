import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic } from "../../../src/base/index.js";
import { filesOf, readExercise } from "../../../src/course/exercises/index.js";
import {
  type RunTestOptions,
  runTest,
  runTests,
  Submission,
  type TestResult,
} from "../../../src/course/grading/index.js";
import { SimulatedNetwork } from "../../../src/course/grading/simulated-network.js";

const folder = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");
const text = (path: string) => readFileSync(`${folder}/${path}`, "utf8");
const own = [
  "topology.json",
  "s1-runtime.json",
  "s2-runtime.json",
  "forwarding.p4",
  "solution/forwarding.p4",
];
const solution = text("solution/forwarding.p4");

/** Runs one test with these steps on a submission of exercise 1. */
async function play(
  steps: string,
  program = solution,
  more = "",
  network?: RunTestOptions["network"],
): Promise<TestResult> {
  const yaml = `title: T\nabout: A\nhands_in: [forwarding.p4]\n${more}tests:\n  - name: one\n    points: 1\n    steps:\n${steps}`;
  const diagnostics = new Diagnostics();
  const files = filesOf(
    new Map([["exercise.yaml", yaml], ...own.map((path) => [path, text(path)] as const)]),
  );
  const exercise = readExercise(files, "", diagnostics);
  expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
  const turn = () => new Promise<void>((done) => setImmediate(done));
  const [result] = await runTests(exercise!, new Map([["forwarding.p4", program]]), {
    turn,
    ...(network && { network }),
  });
  return result!;
}

const step = (line: string) => `      - ${line}\n`;
const replaced = (from: string, to: string): string => {
  expect(solution).toContain(from);
  return solution.replace(from, to);
};

describe("a packet test", () => {
  it("that fails shows the path of the packet before the failed line, not of the next one", async () => {
    const script = [
      "add stations hdr.ethernet.dst:0x0800000000bb send_to(port:2)",
      "packet 1 0800000000bb 0800000000aa 1234",
      "expect 3 0800000000bb 0800000000aa 1234 $",
      "packet 1 0800000000cc 0800000000aa 5678",
      "",
    ].join("\n");
    const yaml =
      "title: T\nabout: A\nhands_in: [forwarding.p4]\ntests:\n  - name: one\n    points: 1\n    stf: one.stf\n";
    const files = filesOf(
      new Map([
        ["exercise.yaml", yaml],
        ["one.stf", script],
        ...own.map((path) => [path, text(path)] as const),
      ]),
    );
    const exercise = readExercise(files, "", new Diagnostics())!;
    const turn = () => new Promise<void>((done) => setImmediate(done));
    const [result] = await runTests(exercise, new Map([["forwarding.p4", solution]]), { turn });
    expect(result!.passed).toBe(false);
    const story = result!.story.join("\n");
    expect(story).toMatch(/08:?00:?00:?00:?00:?bb|port 2/);
    expect(story).not.toMatch(/08:?00:?00:?00:?00:?cc|5678/);
  });
});

describe("steps", () => {
  it("fails with the place, the expected and the observed behaviour, and the path of the packet", async () => {
    const { points, of, expected, seen, place, story, details } = await play(
      step("ping: { from: h1, to: h2 }") +
        step(
          "packet: { from: h1, send: [ethernet: { dst: h2 }], expect: [{ at: h3, packet: [ethernet: {}] }] }",
        ),
    );
    expect([points, of]).toEqual([0, 1]);
    expect(seen).toBe("1 packet arrives at h2");
    expect(expected).toBe("nothing arrives at h2");
    expect(place).toBe("exercise.yaml:9:9");
    expect(details[0]).toBe("h1 sends ethernet { dst 08:00:00:00:00:02 }");
    // the ping of the previous step is not in the story
    expect(story.filter((line) => line.startsWith("s1: packet"))).toHaveLength(1);
    expect(story.join("\n")).toMatch(/sent to port 2|port 2/);
  });

  it("compares named fields", async () => {
    const { seen } = await play(
      step(
        "packet: { from: h1, send: [ethernet: { dst: h2, type: 0x1234 }], expect: [{ at: h2, packet: [ethernet: { type: 0x1235 }] }] }",
      ),
    );
    expect(seen).toBe("at h2: ethernet.type is 0x1234, expected 0x1235");
  });

  it("counts pings, including those that must not be answered", async () => {
    const down = step("link: { between: [s1, s2], state: down }");
    expect((await play(down + step("ping: { from: h1, to: h3, answered: 0 }"))).passed).toBe(true);
    expect((await play(step("ping: { from: h1, to: h3, answered: 0 }"))).seen).toBe("1 are answered");
    const up = down + step("link: { between: [s2, s1], state: up }");
    expect((await play(up + step("ping: { from: h1, to: h3, count: 3 }"))).passed).toBe(true);
  });

  it("counts traffic by ports, and detects reordered packets", async () => {
    const traffic = (more: string) => step(`traffic: { from: h1, to: h3, flows: 3, packets: 4, ${more} }`);
    expect((await play(traffic("received: 12, ports: { s1-p3: 12, s1-p2: 0 }, in_order: true"))).passed).toBe(
      true,
    );
    expect((await play(traffic("received: 50%..90%"))).seen).toBe("12 of 12 arrive");
    expect((await play(traffic("ports: { s1-p3: 11 }"))).expected).toBe("11 packets leave by s1-p3");
    const split = await play(traffic("split: { over: [s1-p2, s1-p3], used: 2 }"));
    expect([split.expected, split.seen]).toEqual([
      "packets use 2 of the ports s1-p2, s1-p3",
      "s1-p2 0, s1-p3 12",
    ]);
  });

  it("reads tables, and reports unknown statements", async () => {
    expect(
      (await play(step("ask: { switch: s1, line: dump stations, count: 3, says: send_to }"))).passed,
    ).toBe(true);
    expect((await play(step("ask: { switch: s1, line: dump stations, count: 4 }"))).seen).toBe(
      "3 in the output",
    );
    expect((await play(step("ask: { switch: s1, line: read seen }"))).details[0]).toMatch(
      /no counter, meter or register/,
    );
  });
});

describe("submissions", () => {
  const ping = step("ping: { from: h1, to: h2 }");

  it("shows errors of the compiler with their lines", async () => {
    const { expected, seen, details } = await play(
      ping,
      replaced("packet.extract(hdr.ethernet);", "packet.extract(hdr.ether);"),
    );
    expect(expected).toBe("a program that compiles: forwarding.p4");
    expect(seen).toBe("1 error");
    expect(details[0]).toMatch(/^forwarding\.p4:\d+:\d+: error\[P4/);
  });

  it("hides the solution, and all files except programs", async () => {
    for (const path of ["solution/forwarding.p4", "exercise.yaml", "../x.p4", "/etc/passwd"]) {
      const { passed, details } = await play(ping, `#include "${path}"\n`);
      expect(passed).toBe(false);
      expect(details[0]).toMatch(/error\[P401\d\d\]/);
    }
  });

  it("stops packets that multiply", async () => {
    const loop = replaced(
      "stations.apply();",
      "stations.apply(); standard_metadata.egress_spec = 3;",
    ).replace(/if \(standard_metadata.egress_spec == [\s\S]*?\n {8}\}\n/, "");
    const { seen } = await play(ping, loop, "limits: { frames: 1000 }\n");
    expect(seen).toMatch(/more frames: packets are copied endlessly, or circulate in a loop/);
  });

  it("ends at the same event on each machine: the number of events, a packet that goes round in a switch", async () => {
    const ping = step("ping: { from: h1, to: h2, count: 50 }");
    const few = await play(ping, solution, "limits: { events: 100 }\n");
    expect(few).toMatchObject({ expected: "at most 100 events of the simulation", passed: false });
    const round = solution.replace(
      /(control CourseEgress[^{]*\{\s*apply \{)/,
      "$1\n        recirculate_preserving_field_list(0);",
    );
    expect(round).not.toBe(solution);
    const { expected, seen } = await play(ping, round);
    expect([expected, seen]).toEqual([
      "each packet leaves its switch, or is dropped",
      expect.stringMatching(/^a packet goes round in s\d without end/),
    ]);
  });

  it("gives messages of the compiler once, and hints only where the files are right", async () => {
    const exercise = readExercise(
      filesOf(
        new Map([
          [
            "exercise.yaml",
            `title: T\nabout: A\nhands_in: [forwarding.p4]\ntests:\n${["one", "two"]
              .map(
                (name) =>
                  `  - { name: ${name}, points: 1, hint: H, steps: [{ ping: { from: h1, to: h2, ttl: 3 } }] }\n`,
              )
              .join("")}`,
          ],
          ...own.map((path) => [path, text(path)] as const),
        ]),
      ),
      "",
      new Diagnostics(),
    )!;
    const turn = () => new Promise<void>((done) => setImmediate(done));
    const wrong = replaced("packet.extract(hdr.ethernet);", "packet.extract(hdr.ether);");
    const [one, two] = await runTests(exercise, new Map([["forwarding.p4", wrong]]), { turn });
    expect(one!.details[0]).toMatch(/error\[P4/);
    expect(two!.details).toEqual(['as in the test "one", which has the messages']);
    expect(two!.seen).toBe("1 error");
    expect([one!.hint, two!.hint]).toEqual([undefined, undefined]);
    const drops = replaced("standard_metadata.egress_spec = port;", "mark_to_drop(standard_metadata);");
    const failed = await runTests(exercise, new Map([["forwarding.p4", drops]]), { turn });
    expect(failed.map(({ hint, details }) => [hint, details.join().includes("as in")])).toEqual([
      ["H", false],
      ["H", false],
    ]);
  });

  it("names a file that is there in other letters", async () => {
    const exercise = readExercise(
      filesOf(
        new Map([
          [
            "exercise.yaml",
            "title: T\nabout: A\nhands_in: [forwarding.p4]\ntests: [{ name: n, points: 3, fit: { target: rmt } }]\n",
          ],
          ...own.map((path) => [path, text(path)] as const),
        ]),
      ),
      "",
      new Diagnostics(),
    )!;
    const submission = new Submission(exercise, new Map(), new Map([["forwarding.p4", "Forwarding.p4"]]));
    const result = await runTest(exercise.tests[0]!, submission, { turn: async () => {} });
    expect(result.seen).toBe("forwarding.p4 is missing");
    expect(result.details).toEqual([
      "Forwarding.p4 is not forwarding.p4: upper and lower case count in names of files",
    ]);
  });

  it("names the missing file", async () => {
    const diagnostics = new Diagnostics();
    const yaml =
      "title: T\nabout: A\nhands_in: [forwarding.p4]\ntests: [{ name: n, points: 3, fit: { target: rmt } }]\n";
    const files = filesOf(
      new Map([["exercise.yaml", yaml], ...own.map((path) => [path, text(path)] as const)]),
    );
    const exercise = readExercise(files, "", diagnostics)!;
    const [result] = await runTests(exercise, new Map(), { turn: async () => {} });
    expect(result).toMatchObject({ points: 0, of: 3, seen: "forwarding.p4 is missing" });
  });
});

describe("on a network in real time", () => {
  const ping = step("ping: { from: h1, to: h2 }");
  /** Networks of which the first `late` report that the machine was late. */
  function networks(late: number) {
    const made: SimulatedNetwork[] = [];
    const closed = new Set<SimulatedNetwork>();
    const network: RunTestOptions["network"] = async ({ exercise }) => {
      const turn = () => new Promise<void>((done) => setImmediate(done));
      const one = new SimulatedNetwork(exercise.topology, { ...exercise.limits, turn });
      made.push(one);
      const number = made.length;
      one.wasLate = () => number <= late;
      one.close = async () => void closed.add(one);
      if (number <= late) await one.setLink("s1", "h2", false);
      return one;
    };
    return { made, closed, network };
  }

  it("repeats a test that fails while the machine is late, at most twice", async () => {
    for (const [late, plays, passed] of [
      [0, 1, true],
      [1, 2, true],
      [2, 3, true],
      [3, 3, false],
    ] as const) {
      const { made, closed, network } = networks(late);
      const result = await play(ping, solution, "", network);
      expect([made.length, closed.size, result.passed]).toEqual([plays, plays, passed]);
      expect(result.story).toEqual([]);
    }
  });

  it.each([
    [
      "fails while the machine is in time",
      0,
      replaced("stations.apply();", "stations.apply(); drop();"),
      "0 are answered",
    ],
    ["fails before its first step", 9, replaced("stations.apply();", "nothing();"), "1 error"],
  ])("does not play a test again that %s", async (_, late, program, seen) => {
    const { made, closed, network } = networks(late);
    const result = await play(ping, program, "", network);
    expect([made.length, closed.size, result.seen]).toEqual([1, 1, seen]);
  });
});
