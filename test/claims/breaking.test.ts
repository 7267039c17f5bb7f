/** Inputs for which p4loom must not say that something is right: the breaking tests of `src/base/claims.ts`. */
import { describe, expect, it } from "vitest";
import { claim } from "../../src/base/index.js";
import { doctorText } from "../../src/cli/doctor.js";
import { assignReport } from "../../src/cli/hash/assign.js";
import type { HashSettings } from "../../src/cli/hash/hash-options.js";
import { reportText } from "../../src/cli/hash/report.js";
import { linear } from "../../src/cli/hash/subjects.js";
import {
  recoveredText,
  type TimelineRow,
  timelineRow,
} from "../../src/fabric/experiment/kinds/timeline/flows.js";
import { certaintyNotes } from "../../src/fabric/schemes/pecmp/index.js";
import type { FitResult, Verdict } from "../../src/toolchain/fit/fit.js";
import { verdictLine } from "../../src/toolchain/fit/report/text.js";
import type { TraceEvent } from "../../src/toolchain/switch/index.js";
import { phraseOf } from "../../src/toolchain/trace/phrases.js";

const SETTINGS: HashSettings = {
  input: "ipv4",
  groups: [4],
  tests: 2000,
  samples: 1000,
  seed: 0,
  tiers: [1],
  maxBits: 8,
  after: 0,
  draws: 1,
  field: "dscp",
  probes: 1,
  deviceId: 1n,
  set: [],
};

/** What a claim says before its first part. */
const start = (name: Parameters<typeof claim>[0]): string => claim(name).split("{")[0]!;

describe("p4loom does not say so:", () => {
  it.each([
    ["design=one"],
    ["design=one", "chip=ideal"],
    ["design=per_stage", "seeds=none", "chip=[crc-16/modbus,crc-16/usb]"],
    ["design=per_stage", "seeds=none", "chip=[rtag7/xor16,rtag7/xor16]"],
    ["design=per_stage", "seeds=none", "chip=ideal"],
  ])("one function at every place depends on itself, by whatever name or seed", (...set) => {
    const text = reportText(assignReport(["examples/topologies/jupiter.yaml"], { ...SETTINGS, set }));
    expect(text).not.toContain(start("independentChoices"));
    expect(text).not.toContain(start("noDependenceFound"));
    if (set.includes("design=one")) expect(text).not.toContain(claim("mixedColours"));
    expect(text).toMatch(/\d+ pairs of switches are correlated/);
  });

  it("a program that the placement cannot place is not placed", () => {
    const result = (verdict: Verdict): FitResult =>
      ({
        verdict,
        target: { title: "Tofino", stages: 2 },
        stages: 3,
        bounds: [{ stages: 3, detail: "its tables" }],
        placement: { method: "heuristic", unplaced: [] },
        exceeded: ["its headers need too many containers"],
      }) as unknown as FitResult;
    for (const verdict of ["refused", "cannot fit", "fits by counts"] as const) {
      const line = verdictLine(result(verdict));
      expect(line).not.toContain(start("placed"));
      expect(line).not.toContain("verified");
      // Where the headers are too many, counts of stages say nothing.
      expect(line).not.toContain("by counts only");
    }
  });

  it("a function that is not affine has a counterexample", () => {
    const text = reportText(linear(["pearson"], SETTINGS));
    expect(text).not.toContain(claim("linearByConstruction"));
    expect(text).not.toContain(claim("linearByTests"));
    expect(text).toMatch(/ is \d+, not \d+/);
    // Affine functions lose it with a group whose size is no power of two.
    const uneven = reportText(linear(["crc-16/arc"], { ...SETTINGS, groups: [3] }));
    expect(uneven).not.toContain(claim("linearByConstruction"));
    expect(uneven).not.toContain(claim("linearByTests"));
  });

  it("a command that lacks something does not work", () => {
    const text = doctorText([{ name: "node", ok: false, detail: "too old" }]);
    expect(text).not.toMatch(new RegExp(`\\b${claim("commandWorks")}\\b`));
  });

  it("offsets that are certain for some pairs of racks are not called certain for all", () => {
    const certain = { offsets: [1], pairs: 3, served: [[0, 1]] } as unknown as NonNullable<
      Parameters<typeof certaintyNotes>[0]["certain"]
    >;
    const [note] = certaintyNotes({ certain });
    expect(note).not.toContain("all pairs");
    expect(note).toContain("1 of 3 pairs");
  });

  it("a wrong checksum is not right", () => {
    const event = {
      kind: "checksum",
      operation: "verify",
      field: "ipv4.checksum",
      computed: "0x1234",
      found: "0x1235",
      passed: false,
    } as unknown as TraceEvent;
    const text = phraseOf(event)!.text;
    expect(text).not.toContain(claim("checksumRight", { field: "ipv4.checksum", found: "0x1235" }));
    expect(text).toContain("0x1234");
  });

  const row = (rest: Partial<TimelineRow>): TimelineRow => rest as TimelineRow;
  const record = (outages: readonly { to: number | undefined }[], broken?: string) =>
    timelineRow(
      { label: "x", plan: { repaths: true } } as never,
      1,
      {
        flow: { from: { name: "a" }, to: { name: "b" }, clientPort: 1 },
        bytes: 0,
        completion: undefined,
        outages: outages.map(({ to }) => ({ from: 10, firstTimeout: 20, timeouts: 1, to })),
        copies: 0,
        broken,
      } as never,
      [],
    );

  it("a flow whose outage did not end has not recovered", () => {
    expect(recoveredText(record([{ to: 50 }, { to: undefined }]))).toBe("no");
    expect(recoveredText(record([{ to: 50 }], "reset"))).toBe("no");
    expect(recoveredText(record([{ to: 50 }]))).not.toBe("no");
  });

  it("a flow that waited for the repair has not left", () => {
    expect(recoveredText(row({ recovered: true, recovered_by: "repaired" }))).not.toBe(claim("leftTheFault"));
    expect(recoveredText(row({ recovered: true, recovered_by: null }))).not.toBe(claim("leftTheFault"));
    expect(recoveredText(row({ recovered: false, recovered_by: null }))).not.toBe(claim("leftTheFault"));
  });
});
