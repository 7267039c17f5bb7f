/** What packets reach of a program: each item by its place, and nothing that they do not reach. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { coverageOf, coveragePage, coverageText, lcovText } from "../../../src/toolchain/coverage/index.js";
import { loadProgram } from "../../../src/toolchain/loading/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Bmv2Program, Program } from "../../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../../src/toolchain/stf/index.js";
import { specialise } from "../../../src/toolchain/switch/codegen/program.js";
import { CoverageCounts, Switch } from "../../../src/toolchain/switch/index.js";

const SOURCE = readFileSync(join(import.meta.dirname, "programs/choices.p4"), "utf8");

function compiled(text: string): Program {
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile("choices.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

const program = compiled(SOURCE);

async function covered(test: string, of: { bmv2: Bmv2Program } = program) {
  const coverage = new CoverageCounts();
  const diagnostics = new Diagnostics();
  await runStf(readStf(new SourceFile("test.stf", test), diagnostics), of, diagnostics, { coverage });
  expect(diagnostics.list).toEqual([]);
  return coverageOf(coverage.of(of.bmv2)!);
}

/** `line kind text hits`, so that a wrong place shows. */
const lines = (coverage: Awaited<ReturnType<typeof covered>>) =>
  coverage.items.map(({ kind, place, text, hits }) => `${place?.line} ${kind} ${text} ${hits}`);

const MISS = "packet 1 0100\nexpect 1 0100 $\n";
const OTHER = "packet 1 02 00 07\nexpect 7 02 00 07 $\n";

describe("items", () => {
  it("are at their lines, with how often they were reached", async () => {
    expect(lines(await covered(`${MISS}${MISS}${OTHER}`))).toMatchSnapshot();
  });

  it("of two tests are reached where one of them reaches them", async () => {
    const [one, other, both] = [await covered(MISS), await covered(OTHER), await covered(MISS + OTHER)];
    both.items.forEach(({ hits }, i) => {
      expect(hits).toBe(one.items[i]!.hits + other.items[i]!.hits);
    });
    for (const [less, more] of [
      [one, both],
      [other, both],
    ] as const)
      expect(less.totals.branch.reached).toBeLessThan(more.totals.branch.reached);
  });

  it("are all unreached, states too, without a packet, and have the same sums", async () => {
    const none = await covered("");
    expect(none.items.filter(({ hits }) => hits > 0)).toEqual([]);
    const { totals } = await covered(OTHER);
    for (const kind of ["statement", "branch", "action", "state"] as const) {
      expect(none.totals[kind]).toEqual({ reached: 0, of: totals[kind].of });
      expect(totals[kind].of).toBeGreaterThan(0);
    }
  });

  it("of a BMv2 JSON that was read from a file have no places for states", async () => {
    const bmv2 = JSON.parse(JSON.stringify(program.bmv2)) as Bmv2Program;
    const items = (await covered(OTHER, { bmv2 })).items;
    expect(items.filter(({ kind }) => kind === "state")).toEqual([]);
    expect(items.some(({ kind, place }) => kind === "statement" && place?.line === 54)).toBe(true);
  });
});

describe("outputs", () => {
  it("of lcov have what lcov reads", async () => {
    expect(lcovText(await covered(OTHER))).toMatchSnapshot();
  });

  it("as text list what was not reached, and nothing else", async () => {
    const coverage = await covered(OTHER);
    const text = coverageText(coverage);
    const missed = coverage.items.filter(({ hits }) => hits === 0);
    expect(text.split("not reached\n")[1]!.split("\n")).toHaveLength(missed.length);
    for (const item of missed) expect(text).toContain(`${item.kind} ${item.text}`);
  });

  it("as a page colour each line by what was reached of it, and escape the source", async () => {
    const page = coveragePage(
      "a<b",
      await covered(OTHER),
      new Map([["choices.p4", new SourceFile("choices.p4", SOURCE)]]),
    );
    expect(page).toContain("<h1>Coverage of a&lt;b</h1>");
    const row = (line: number) => new RegExp(`<tr class="(\\w*)"><td class="n">${line}</td>`).exec(page)?.[1];
    const line = (text: string) => SOURCE.split("\n").findIndex((one) => one.includes(text)) + 1;
    expect(row(line("hdr.data.value = hdr.data.value + 1"))).toBe("none");
    expect(row(line("sm.egress_spec = 7"))).toBe("all");
    expect(row(line("transition select"))).toBe("");
    expect(row(line("1: accept"))).toBe("none");
  });
});

describe("code that counts", () => {
  it("has no tracer in it, and code that does not count has no counts in it", () => {
    const [plain, traced, counted] = (["plain", "traced", "counted"] as const).map((variant) =>
      specialise(program.bmv2, variant),
    );
    expect(plain!.source).not.toMatch(/s\.own\.hits|s\.tracer/);
    expect(traced!.source).not.toMatch(/s\.own\.hits/);
    expect(counted!.source).not.toMatch(/s\.tracer/);
    expect(counted!.source).toMatch(/s\.own\.hits\[\d+\]\+\+/);
  });

  const root = resolve(import.meta.dirname, "../../..");
  const roles = readdirSync(join(root, "p4"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".stf"))
    .map((path) => path.slice(0, -".stf".length))
    // A role whose program is that of another scheme has a test alone.
    .filter((role) => existsSync(join(root, "p4", `${role}.p4`)));

  it.each(roles)("gives the packets of %s", async (role) => {
    const diagnostics = new Diagnostics();
    const files = { path: join(root, "p4", `${role}.p4`), include: [], define: [] };
    const loaded = await loadProgram(files, diagnostics, "error");
    const text = readFileSync(join(root, "p4", `${role}.stf`), "utf8");
    const coverage = new CoverageCounts();
    const found = new Diagnostics();
    const result = await runStf(readStf(new SourceFile("test.stf", text), found), loaded.program, found, {
      coverage,
    });
    expect(result.failed).toBe(0);
    expect(coverageOf(coverage.of(loaded.program.bmv2)!).totals.statement.reached).toBeGreaterThan(10);
  });

  it("adds the packets of switches that share the counts", () => {
    const coverage = new CoverageCounts();
    const clock = { now: () => 0, at: () => () => undefined };
    const sent: number[] = [];
    for (const _ of [1, 2])
      new Switch(program, { clock, coverage, transmit: (port) => sent.push(port) }).receive(
        1,
        Uint8Array.of(2, 0, 7),
      );
    expect(sent).toEqual([7, 7]);
    const start = coverageOf(coverage.of(program.bmv2)!).items.find(({ kind }) => kind === "state");
    expect(start?.hits).toBe(2);
  });
});

it("counts a packet of a Tofino once, where it is too short without its check sequence, too", async () => {
  const tofino = compiled(`#include <core.p4>
#include <tna.p4>
header d_h { bit<64> a; bit<32> b; }
struct headers_t { d_h d; }
struct none_t { }
parser InParser(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.d); transition accept; }
}
control In(inout headers_t hdr, inout none_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
    apply { tm.ucast_egress_port = 1; tm.bypass_egress = 1w1; }
}
control InDeparser(packet_out pkt, inout headers_t hdr, in none_t md,
                   in ingress_intrinsic_metadata_for_deparser_t dprsr) { apply { pkt.emit(hdr); } }
parser OutParser(packet_in pkt, out headers_t hdr, out none_t md, out egress_intrinsic_metadata_t eg) {
    state start { pkt.extract(eg); transition accept; }
}
control Out(inout headers_t hdr, inout none_t md, in egress_intrinsic_metadata_t eg,
            in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
            inout egress_intrinsic_metadata_for_output_port_t port) { apply { } }
control OutDeparser(packet_out pkt, inout headers_t hdr, in none_t md,
                    in egress_intrinsic_metadata_for_deparser_t dprsr) { apply { pkt.emit(hdr); } }
Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;
Switch(pipe) main;
`);
  for (const bytes of ["0102030405060708", "0102030405060708090a0b0c"]) {
    const coverage = await covered(`packet 2 ${bytes}\nexpect 1 ${bytes}\n`, tofino);
    const hits = coverage.items.filter((item) => item.hits > 0).map((item) => item.hits);
    expect(hits.length).toBeGreaterThan(4);
    expect(new Set(hits)).toEqual(new Set([1]));
  }
});
