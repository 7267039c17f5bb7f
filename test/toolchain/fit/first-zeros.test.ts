/**
 * Zeros that a program of a Tofino 1 writes before anything else: the architecture clears some values, so that no table writes these zeros; the
 * container of others tells whether it was written, so that their zeros stay (p4c, parde/add_metadata_pov.cpp).
 */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type TnaParts, tnaSource } from "./programs.js";

/** The fields that some table writes. */
function written(parts: TnaParts): string[] {
  const diagnostics = new Diagnostics();
  const { program } = compile({ file: tnaSource(parts), form: "hardware" }, diagnostics)!;
  diagnostics.throwIfErrors();
  const { model } = fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget("tofino"));
  const fields = model.units.flatMap(({ actions }) =>
    actions.flatMap(({ writes }) => writes.map(({ field }) => field.split(".").at(-1)!)),
  );
  return [...new Set(fields)].sort();
}

const mirror = "if (dprsr.mirror_type == 1) { mirror.emit(md.session); }";
const port = "tm.ucast_egress_port = 1;";

describe("the first zero of a value", () => {
  it("is written by no table where the architecture clears the value", () => {
    const rest = written({ apply: port });
    expect(written({ apply: `dprsr.drop_ctl = 0; ${port}` })).toEqual(rest);
    expect(written({ apply: `dprsr.mirror_type = 0; ${port}`, deparser: mirror })).toEqual(
      written({ apply: port, deparser: mirror }),
    );
    // A value other than zero is.
    expect(written({ apply: `dprsr.drop_ctl = 1; ${port}` })).toEqual([...rest, "drop_ctl"].sort());
  });

  it("stays where the container says by itself that it was written", () => {
    expect(written({ apply: "tm.ucast_egress_port = 0;" })).toContain("ucast_egress_port");
    expect(written({ apply: "tm.mcast_grp_a = 0;" })).toContain("mcast_grp_a");
    expect(written({ apply: port, egress: "dprsr.mirror_type = 0;" })).toContain("mirror_type");
  });

  it("stays behind another value on some way", () => {
    const apply = (first: string) =>
      `${port} if (hdr.d.t == 3) { ${first} } if (hdr.d.i == 4) { dprsr.drop_ctl = 0; }`;
    expect(written({ apply: apply("dprsr.drop_ctl = 1;") })).toContain("drop_ctl");
    expect(written({ apply: apply("hdr.d.c = 1;") })).not.toContain("drop_ctl");
  });
});
