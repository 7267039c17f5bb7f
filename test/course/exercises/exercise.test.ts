import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic } from "../../../src/base/index.js";
import { type Exercise, filesOf, maximumPoints, readExercise } from "../../../src/course/exercises/index.js";

const folder = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");
const topology = readFileSync(`${folder}/topology.json`, "utf8");

function read(yaml: string, more: Record<string, string> = {}): { exercise?: Exercise; errors: string } {
  const texts = { "exercise.yaml": yaml, "topology.json": topology, "a.p4": "", ...more };
  const diagnostics = new Diagnostics();
  const exercise = readExercise(filesOf(new Map(Object.entries(texts))), "", diagnostics);
  return {
    ...(exercise === undefined ? {} : { exercise }),
    errors: diagnostics.list.map(formatDiagnostic).join("\n"),
  };
}

const head = "title: T\nabout: A\nhands_in: [a.p4]\n";
const steps = (...lines: string[]) =>
  `${head}tests:\n  - name: one\n    points: 1\n    steps:\n${lines.map((line) => `      - ${line}\n`).join("")}`;

describe("exercise.yaml", () => {
  it("resolves hosts, values and defaults", () => {
    const { exercise, errors } = read(
      steps(
        "packet: { from: h1, send: [ethernet: {}, ipv4: { dst: h3, ttl: 9 }, udp: { dst: 53 }, text: hi], expect: [{ at: h3, packet: [ethernet: {}], bytes: 44 }] }",
        "ping: { from: h1, to: h2, count: 3 }",
        "traffic: { from: h1, to: h2, flows: 2, packets: 5, received: 90%.., ports: { s1-p2: 10 } }",
        "wait: 20ms",
        "link: { between: [s1, s2], state: down }",
        "ask: { switch: s1, line: read x, packets: 3..5 }",
      ),
    );
    expect(errors).toBe("");
    const [test] = exercise!.tests;
    expect(maximumPoints(exercise!)).toBe(1);
    if (test!.what.kind !== "steps") throw new Error("steps are expected");
    const [packet, ping, traffic, wait, link, ask] = test!.what.steps;
    const hex = packet?.kind === "packet" ? Buffer.from(packet.frame).toString("hex") : "";
    // the MAC address is h3's, by its entry in h1's ARP table; lengths, protocol and checksums are filled in
    expect(hex).toBe(
      "080000000003080000000001" +
        "0800" +
        "4500001e000000000911" +
        "9dcc" +
        "0a0000010a000003" +
        "00000035000a8338" +
        "6869",
    );
    expect(packet).toMatchObject({ expect: [{ at: "h3", pattern: { bytes: 44 } }] });
    expect(ping).toMatchObject({ kind: "ping", count: 3, answered: { low: 3, high: 3 } });
    expect(traffic).toMatchObject({
      received: { low: 90, high: Number.POSITIVE_INFINITY, percent: true },
      ports: [{ port: { node: "s1", port: 2 }, packets: { low: 10, high: 10 } }],
    });
    expect(wait).toMatchObject({ ns: 20e6 });
    expect(link).toMatchObject({ a: "s1", b: "s2", up: false });
    expect(ask).toMatchObject({ packets: { low: 3, high: 5, percent: false } });
  });

  it.each([
    [
      "no such file",
      `${head.replace("a.p4", "b.p4")}tests: [{ name: n, points: 1, fit: { target: rmt } }]`,
      /:3:12: error\[P46301\]: there is no file b\.p4/,
    ],
    [
      "a path to elsewhere",
      `${head}tests: [{ name: n, points: 1, stf: ../x.stf }]`,
      /:4:36: error\[P46306\]/,
    ],
    [
      "two kinds",
      `${head}tests: [{ name: n, points: 1, stf: a.p4, fit: { target: rmt } }]`,
      /error\[P46304\]: test "n": expected one of steps, stf and fit, got stf and fit/,
    ],
    ["no kind", `${head}tests: [{ name: n, points: 1 }]`, /P46304.*got none/],
    ["an unknown key", `${head}test: []`, /P43002.*unknown key "test"; did you mean "tests"/],
    [
      "two steps in one",
      steps("{ wait: 1s, ping: { from: h1, to: h2 } }"),
      /:8:9: error\[P46304\]: a step: .* got ping and wait/,
    ],
    [
      "an unknown host",
      steps("ping: { from: h1, to: h9 }"),
      /:8:31: error\[P46302\]: there is no host h9.*\(host: h1, h2, h3\)/,
    ],
    ["an unknown switch", steps("ask: { switch: s4, line: read x }"), /P46302.*no switch s4/],
    [
      "a port without a link",
      steps("traffic: { from: h1, to: h2, ports: { s1-p7: 1 } }"),
      /P46302.*no port s1-p7 with a link/,
    ],
    [
      "a link that is not there",
      steps("link: { between: [h1, s2], state: up }"),
      /P46302.*h1 and s2 have no link/,
    ],
    [
      "an unknown header",
      steps("packet: { from: h1, send: [ethernett: {}] }"),
      /:8:36: error\[P46303\]: there is no header `ethernett`; did you mean `ethernet`/,
    ],
    [
      "an unknown field",
      steps("packet: { from: h1, send: [ipv4: { tll: 3 }] }"),
      /P46303.*ipv4 has no field `tll`; did you mean `ttl`/,
    ],
    [
      "a value that is too wide",
      steps("packet: { from: h1, send: [ipv4: { ttl: 256 }] }"),
      /:8:49: error\[P46303\]: ipv4\.ttl: 256 does not fit 8 bits/,
    ],
    [
      "two headers in an element",
      steps("packet: { from: h1, send: [{ ethernet: {}, ipv4: {} }] }"),
      /P46303.*expected one header for each element, got ethernet and ipv4/,
    ],
    [
      "a range that is none",
      steps("traffic: { from: h1, to: h2, received: 5..3 }"),
      /P43004.*expected a number, or a range: 3\.\.5/,
    ],
    ["a duration without unit", steps("wait: 10"), /P43004.*expected a duration such as "100ms"/],
    [
      "half a byte",
      `headers: { hop: { last: 1, port: 3 } }\n${steps("wait: 1s")}`,
      /:1:12: error\[P46305\]: header hop has 4 bits: expected whole bytes/,
    ],
    [
      "a header of a known name",
      `headers: { udp: { x: 8 } }\n${steps("wait: 1s")}`,
      /P46305.*every exercise has a header of this name/,
    ],
    [
      "a controller in another language",
      `controller: a.rb\n${steps("wait: 1s")}`,
      /:1:13: error\[P46307\]: controller: a\.rb is neither a JavaScript module \(\.mjs or \.js\) nor/,
    ],
    [
      "a controller that is not handed in",
      `controller: c.mjs\n${steps("wait: 1s")}`,
      /P46301.*controller: c\.mjs is not one of the files/,
    ],
  ])("says where there is %s", (_, yaml, message) => {
    const { exercise, errors } = read(yaml);
    expect(errors).toMatch(message);
    expect(exercise).toBeUndefined();
  });
});

describe("a test of an exercise", () => {
  const kindOf = (test: string, more: Record<string, string> = {}, handsIn = "a.p4") => {
    const { exercise, errors } = read(
      `${head.replace("a.p4", handsIn)}tests: [{ name: n, points: 1, ${test} }]`,
      more,
    );
    return { what: exercise?.tests[0]?.what, errors };
  };

  it("of fit has the program that is handed in, and a target by name or by file", () => {
    expect(kindOf("fit: { target: rmt, stages: 3 }").what).toEqual({
      kind: "fit",
      target: "rmt",
      stages: 3,
      strict: false,
      program: "a.p4",
    });
    expect(kindOf("fit: { target: rmt, strict: true }").what).toMatchObject({ strict: true });
    const { what } = kindOf("fit: { target: chip.json }", { "chip.json": "{}" });
    expect(what).toMatchObject({ target: { path: "chip.json" } });
    expect(kindOf("fit: { target: chip.json }").errors).toMatch(/P46301.*there is no file chip\.json/);
  });

  it("of packets has its script, and the program that it names", () => {
    const { what } = kindOf("stf: a.stf, program: b.p4", { "a.stf": "x", "b.p4": "" });
    expect(what).toMatchObject({ kind: "stf", script: { path: "a.stf", text: "x" }, program: "b.p4" });
    expect(kindOf("stf: a.stf, program: b.p4", { "a.stf": "x" }).errors).toMatch(
      /P46301.*there is no file b\.p4/,
    );
    expect(kindOf("stf: b.stf").errors).toMatch(/P46301.*there is no file b\.stf/);
  });

  it("needs a program where none is handed in", () => {
    expect(kindOf("fit: { target: rmt }", { "c.mjs": "" }, "c.mjs").errors).toMatch(
      /P46304.*test "n": the program is missing; add program: NAME\.p4/,
    );
  });

  it("may not name files by absolute paths", () => {
    expect(kindOf("stf: /x.stf").errors).toMatch(/P46306.*\/x\.stf: expected the path of a file/);
  });

  it("is not read without exercise.yaml, or with a topology that is wrong", () => {
    const diagnostics = new Diagnostics();
    expect(readExercise(filesOf(new Map()), "ex", diagnostics)).toBeUndefined();
    expect(diagnostics.list.map(formatDiagnostic)).toEqual([
      "error[P46301]: there is no file ex/exercise.yaml",
    ]);
    expect(read(steps("wait: 1s"), { "topology.json": "{}" }).errors).toMatch(/P43003/);
    expect(
      read(`${head}topology: t.json\ntests: [{ name: n, points: 1, fit: { target: rmt } }]`).errors,
    ).toMatch(/:4:11: error\[P46301\]: there is no file t\.json/);
  });

  it("has headers of its own beside the known ones, and these have at least one field", () => {
    const { exercise, errors } = read(
      `headers: { hop: { last: 1, port: 7 } }\n${steps("packet: { from: h1, send: [ethernet: {}, hop: { last: 1, port: 5 }], expect: [] }")}`,
    );
    expect(errors).toBe("");
    const { what } = exercise!.tests[0]!;
    const step = what.kind === "steps" ? what.steps[0] : undefined;
    expect(step?.kind === "packet" && step.frame.at(-1)).toBe(0x85);
    expect(read(`headers: { hop: {} }\n${steps("wait: 1s")}`).errors).toMatch(
      /P46305.*header hop has 0 bits: expected whole bytes/,
    );
  });
});

describe("a step of a test", () => {
  const stepOf = (line: string) => {
    const { exercise, errors } = read(steps(line));
    expect(errors).toBe("");
    const { what } = exercise!.tests[0]!;
    if (what.kind !== "steps") throw new Error("steps are expected");
    return what.steps[0]!;
  };

  it("reads digests with the values that they have, by number and by address", () => {
    expect(
      stepOf(
        "digests: { switch: s1, digest: learn, count: 2.., has: [[08:00:00:00:00:02, 3], [0x10, 10.0.0.1]] }",
      ),
    ).toMatchObject({
      kind: "digests",
      switch: "s1",
      digest: "learn",
      count: { low: 2, high: Number.POSITIVE_INFINITY },
      has: [
        [0x080000000002n, 3n],
        [16n, 0x0a000001n],
      ],
    });
    expect(read(steps("digests: { switch: s1, digest: learn, has: [[1, zz]] }")).errors).toMatch(
      /:8:\d+: error\[P46303\].*zz/,
    );
    expect(read(steps("digests: { switch: s9, digest: learn }")).errors).toMatch(/P46302.*no switch s9/);
  });

  it("reads packet-ins with metadata and a packet", () => {
    const step = stepOf(
      "packet_ins: { switch: s2, count: 1, metadata: { ingress_port: 3 }, packet: [ethernet: { type: 0x800 }] }",
    );
    expect(step).toMatchObject({ kind: "packetIns", switch: "s2", count: { low: 1, high: 1 } });
    expect(step.kind === "packetIns" && [...step.metadata]).toEqual([["ingress_port", 3n]]);
    expect(step.kind === "packetIns" && step.pattern?.parts).toHaveLength(1);
    const bare = stepOf("packet_ins: { switch: s2 }");
    expect(bare.kind === "packetIns" && bare.pattern).toBeUndefined();
    expect(read(steps("packet_ins: { switch: s9 }")).errors).toMatch(/P46302.*no switch s9/);
    expect(read(steps("packet_ins: { switch: s2, metadata: { p: zz } }")).errors).toMatch(
      /:8:\d+: error\[P46303\].*zz/,
    );
    expect(read(steps("packet_ins: { switch: s2, packet: [ethernett: {}] }")).errors).toMatch(/P46303/);
  });

  it("names the ends of a link in either order, and links only of these two nodes", () => {
    expect(stepOf("link: { between: [s1, h1], state: up }")).toMatchObject({ a: "s1", b: "h1", up: true });
    expect(stepOf("link: { between: [h1, s1], state: up }")).toMatchObject({ a: "h1", b: "s1" });
    expect(read(steps("link: { between: [h1, h1], state: up }")).errors).toMatch(
      /P46302.*h1 and h1 have no link \(there are links of h1 and s1/,
    );
  });

  it("splits traffic over ports of switches", () => {
    const step = stepOf(
      "traffic: { from: h1, to: h2, packets: 9, pause: { after: 3, for: 2ms }, split: { over: [s1-p1, s1-p2], used: 2, each: 40%.. } }",
    );
    expect(step).toMatchObject({
      kind: "traffic",
      pause: { after: 3, ns: 2e6 },
      split: {
        over: [
          { node: "s1", port: 1 },
          { node: "s1", port: 2 },
        ],
        used: { low: 2, high: 2 },
        each: { low: 40, percent: true },
      },
    });
    expect(read(steps("traffic: { from: h1, to: h2, split: { over: [s1-p1, s1-p9] } }")).errors).toMatch(
      /P46302.*no port s1-p9 with a link \(ports: s1-p1/,
    );
    // A host has no ports.
    expect(read(steps("traffic: { from: h1, to: h2, ports: { h1-p0: 1 } }")).errors).toMatch(
      /P46302.*no port h1-p0/,
    );
  });

  it("expects packets at hosts, at their places", () => {
    expect(read(steps("packet: { from: h9, send: [ethernet: {}], expect: [] }")).errors).toMatch(
      /P46302.*h9/,
    );
    expect(
      read(
        steps(
          "packet: { from: h1, send: [ethernet: {}], expect: [{ at: h2, packet: [ipv4: { ttl: 999 }] }] }",
        ),
      ).errors,
    ).toMatch(/:8:\d+: error\[P46303\]: ipv4\.ttl: 999 does not fit 8 bits/);
    expect(
      read(steps("packet: { from: h1, send: [ethernet: {}], expect: [{ at: h8, packet: [ethernet: {}] }] }"))
        .errors,
    ).toMatch(/P46302.*no host h8/);
  });
});
