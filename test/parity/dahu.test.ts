/** Dahu's scenarios on BMv2: the program as our compiler makes it, for the first one as p4c does. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../src/base/index.js";
import { renderProgram } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { PORTS, scenarios } from "../fabric/schemes/dahu/scenarios.js";
import { templates } from "../toolchain/generate/load.js";
import { BMV2, compileWithP4c, NO_BMV2, P4C, type PortFrame, playOnBmv2, thriftBuiltIn } from "./bmv2.js";

/** The embedded switch plays these; on BMv2 they would show nothing that the others do not. */
const LEFT_OUT = ["all ports, with the deroutes counted", "a member that is down", "deroutes in the VLAN id"];

const WITH_COPIES = [
  "never back to the port that a packet came by",
  "shortest paths once the deroutes are used up",
  "a second round, and the choice among allowed ports behind it",
  "one round of hashes alone",
];

/** Frames that leave by different ports race. */
const asText = (frames: readonly PortFrame[]) =>
  frames.map(({ port, frame }) => `${port} ${toHex(frame)}`).sort();

// P4Runtime on BMv2 has no registers: the map is written by Thrift.
const missing = BMV2 === undefined ? NO_BMV2 : thriftBuiltIn() ? undefined : "BMv2 without Thrift";

describe.skipIf(missing !== undefined)(
  `Dahu's program on BMv2${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    const played = [
      ...scenarios()
        .filter(({ name }) => !LEFT_OUT.includes(name))
        .map((scenario) => ({ map: "register", ...scenario })),
      // P4Runtime alone writes these.
      ...scenarios("copies")
        .filter(({ name }) => WITH_COPIES.includes(name))
        .map((scenario) => ({ map: "copies", ...scenario })),
    ];
    const cases = played.map((scenario, i) => ({
      ...scenario,
      compiler: i % 8 === 0 && P4C !== undefined ? "p4c" : "ours",
    }));

    it.concurrent.each(cases)(
      "map in $map: $name, compiled by $compiler",
      async ({ plan, updates, packets, sent, compiler }) => {
        const text = renderProgram(templates, plan.programs[0]!);
        const diagnostics = new Diagnostics();
        const program =
          compiler === "p4c"
            ? compileWithP4c(text)
            : compile({ file: new SourceFile("switch.p4", text) }, diagnostics)!.program;
        diagnostics.throwIfErrors();
        const result = await playOnBmv2({
          program,
          updates: updates.filter(({ entity }) => entity.kind !== "register"),
          commands: updates.flatMap(({ entity }) =>
            entity.kind === "register"
              ? [`register_write ${entity.register} ${entity.index} ${entity.value}`]
              : [],
          ),
          packets,
          ports: PORTS,
          expected: sent.length,
        });
        expect(asText(result.sent)).toEqual(asText(sent));
      },
      120_000,
    );
  },
);
