/** Values that have a container one after the other, and the zeros that tables write so that they can. */
import { describe, expect, it } from "vitest";
import type { PhvAllocation } from "../../../src/toolchain/fit/phv/allocation.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { withZeros } from "../../../src/toolchain/fit/phv/zeros.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

const GROUPS = 5;
const FIELDS = 24;

/**
 * Groups of values, of which a table sets each and another one matches on it: one group after the other, or all at once. The table that sets
 * the group `large` has more entries than the device.
 */
function source(isInTurn: boolean, pragma: string, large?: number): string {
  const groups = Array.from({ length: GROUPS }, (_, i) => i);
  const fields = Array.from({ length: FIELDS }, (_, i) => i);
  const declarations = groups.map(
    (g) => `${fields.map((f) => `bit<32> v${g}_${f};`).join(" ")}
action set${g}(${fields.map((f) => `bit<32> a${f}`).join(", ")}) { ${fields.map((f) => `v${g}_${f} = a${f};`).join(" ")} }
table in${g} { key = { link : exact; ${g === large ? "h.a.x : exact;" : ""} } actions = { set${g}; } size = ${g === large ? 50_000_000 : 16}; }
action mark${g}(bit<16> a) { link = a; }
table out${g} { key = { ${fields.map((f) => `v${g}_${f} : exact;`).join(" ")} } actions = { mark${g}; } size = 16; }`,
  );
  const [ins, outs] = ["in", "out"].map((name) => groups.map((g) => `${name}${g}.apply();`));
  const applies = isInTurn ? groups.flatMap((g) => [ins![g], outs![g]]) : [...ins!, ...outs!];
  return `#include <core.p4>
#include <tna.p4>
header first_h { bit<32> x; }
struct headers_t { first_h a; }
struct locals_t { }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.a); transition accept; } }
${pragma}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  bit<16> link;
  ${declarations.join("\n")}
  apply { tm.ucast_egress_port = 1; link = 0; ${applies.join(" ")} h.a.x = (bit<32>) link; }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
parser EP(packet_in p, out headers_t h, out locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition accept; } }
control E(inout headers_t h, inout locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout headers_t h, in locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;
}

const fitOf = (isInTurn: boolean, pragma = "", large?: number) => fitTna(source(isInTurn, pragma, large));

const slicesOf = ({ containers }: PhvAllocation) => containers.flatMap(({ slices }) => slices);

describe("values that have a container in turn", () => {
  it("need no zeros where P4 leaves open what nothing wrote", () => {
    const { verdict, phv } = fitOf(true);
    expect(verdict).toBe("placed");
    // Not the kind of mirror, which the deparser needs as a zero.
    const later = slicesOf(phv.allocation!).filter(
      ({ field, zeroedBy }) => zeroedBy !== undefined && !field.startsWith("$"),
    );
    expect(later.length).toBeGreaterThan(0);
    expect(later.every(({ zeroedBy }) => zeroedBy!.length === 0)).toBe(true);
  });

  it("have no turn where the table that sets them has no stage", () => {
    const last = GROUPS - 1;
    const { verdict, phv, placement } = fitOf(true, "", last);
    expect(verdict).toBe("cannot fit");
    expect(placement.unplaced.map(({ unit }) => unit.table)).toEqual([`pipe.I.in${last}`]);
    const slices = slicesOf(phv.allocation!);
    expect(slices.filter(({ live }) => !Number.isFinite(live.from) || !Number.isFinite(live.to))).toEqual([]);
    const own = slices.filter(({ field }) => field.includes(`v${last}_`));
    expect(own.filter(({ zeroedBy }) => zeroedBy !== undefined)).toEqual([]);
    // The others still take turns.
    expect(slices.some(({ zeroedBy }) => zeroedBy !== undefined)).toBe(true);
  });

  it("have no containers where all are there at once", () => {
    const { verdict, exceeded } = fitOf(false);
    expect(verdict).toBe("fits by counts");
    expect(exceeded[0]).toMatch(/no container/);
  });

  it("get zeros from tables where metadata begins as zero, as instructions of these tables", () => {
    const result = fitOf(true, "@pa_auto_init_metadata");
    const { model, phv } = result;
    expect(result.verdict).toBe("placed");
    const allocation = phv.allocation!;
    const zeroed = slicesOf(allocation).filter(({ zeroedBy = [] }) => zeroedBy.length > 0);
    expect(zeroed.length).toBeGreaterThan(0);
    const writes = (units: typeof model.units) =>
      units.flatMap(({ actions }) => actions.map((action) => action.writes.length));
    const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
    expect(sum(writes(withZeros(model, allocation).units))).toBeGreaterThan(sum(writes(model.units)));
    const input = allocationInputOf(result);
    expect(verifyPhv(input, allocation)).toEqual([]);
    const changed = (by: (units: readonly number[]) => readonly number[]): PhvAllocation => ({
      ...allocation,
      containers: allocation.containers.map((one) => ({
        ...one,
        slices: one.slices.map(({ zeroedBy, ...slice }) =>
          zeroedBy === undefined ? slice : { ...slice, zeroedBy: by(zeroedBy) },
        ),
      })),
    });
    expect(
      verifyPhv(
        input,
        changed(() => []),
      )[0]?.rule,
    ).toBe("overlay");
    const first = model.units.find(({ gress, kind }) => gress === "ingress" && kind !== "condition")!.id;
    const last = model.units
      .filter(({ gress, kind }) => gress === "ingress" && kind !== "condition")
      .at(-1)!.id;
    expect(
      verifyPhv(
        input,
        changed(() => [first]),
      ).map(({ rule }) => rule),
    ).toContain("overlay");
    expect(
      verifyPhv(
        input,
        changed(() => [last]),
      ).map(({ rule }) => rule),
    ).toContain("overlay");
  });
});
