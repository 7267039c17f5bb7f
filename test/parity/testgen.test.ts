/** Generated tests hold on BMv2: it sends what they expect, port by port, where it is installed. `tools/testgen-bmv2.ts` plays more programs. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { BMV2, NO_BMV2 } from "./bmv2.js";
import { playGenerated } from "./generated-tests.js";

const root = resolve(import.meta.dirname, "../..");

describe.skipIf(BMV2 === undefined)(
  `generated tests on BMv2 (${BMV2 === undefined ? NO_BMV2 : "installed"})`,
  () => {
    it.each(["test/toolchain/coverage/programs/choices.p4", "test/toolchain/testgen/programs/ways.p4"])(
      "hold: %s",
      { timeout: 600_000 },
      async (path) => {
        const diagnostics = new Diagnostics();
        const text = readFileSync(join(root, path), "utf8");
        const result = compile({ file: new SourceFile("program.p4", text) }, diagnostics);
        diagnostics.throwIfErrors();
        const { played, wrong } = await playGenerated(result!.program, 1, 24);
        expect(played).toBeGreaterThan(0);
        expect(wrong.flat()).toEqual([]);
      },
    );
  },
);
