/** P4TE's scenarios on BMv2: the programs as our compiler makes them, some as p4c does, too. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { renderProgram } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { byPort, PORTS, scenarios } from "../fabric/schemes/p4te/scenarios.js";
import { templates } from "../toolchain/generate/load.js";
import { BMV2, compileWithP4c, NO_BMV2, P4C, playOnBmv2, thriftBuiltIn } from "./bmv2.js";

/** Copies must be through the switch before the next packet comes. */
const APART_MS = 40;

/** A packet of a burst may leave its queue, whose next one leaves 125 ms later, before the others come. */
const FIRST_ALONE_MS = 60;

describe.skipIf(BMV2 === undefined)(
  `P4TE's programs on BMv2${BMV2 === undefined ? `: ${NO_BMV2}` : ""}`,
  () => {
    const played = scenarios().filter(({ queueRate }) => queueRate === undefined || thriftBuiltIn());
    // Each of the rules once: p4c takes seconds for a program.
    const byP4c = /colour changes|algorithm 2\)$|another switch/;
    const cases = played.flatMap((scenario) => [
      { ...scenario, compiler: "ours" },
      ...(P4C !== undefined && byP4c.test(scenario.name) ? [{ ...scenario, compiler: "p4c" }] : []),
    ]);

    it.concurrent.each(cases)(
      "$name, compiled by $compiler",
      async ({ role, plan, updates, packets, queueRate, apart, sent, compiler }) => {
        const text = renderProgram(templates, plan.programs.find(({ name }) => name === role)!);
        const diagnostics = new Diagnostics();
        const program =
          compiler === "p4c"
            ? compileWithP4c(text)
            : compile({ file: new SourceFile(`${role}.p4`, text) }, diagnostics)!.program;
        diagnostics.throwIfErrors();
        const result = await playOnBmv2({
          program,
          updates,
          packets,
          ports: PORTS,
          expected: sent.length,
          ...(apart ? { spacingMs: APART_MS } : {}),
          ...(queueRate === undefined
            ? {}
            : {
                commands: [`set_queue_rate ${queueRate.pps} ${queueRate.port}`],
                firstAloneMs: FIRST_ALONE_MS,
              }),
        });
        expect(byPort(result.sent)).toEqual(byPort(sent));
      },
      120_000,
    );
  },
);
