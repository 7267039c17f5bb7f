/** Which programs a process compiles again. */
import { expect, it } from "vitest";
import { ProgramCompiler } from "../../../src/fabric/experiment/boot.js";
import { experimentWith } from "./model-fabric.js";

it("compiles the programs of the package's templates once for several experiments", async () => {
  const compiled = (keys = {}) => {
    const [scheme] = experimentWith({ schemes: "[ecmp]", ...keys }).schemes;
    return new ProgramCompiler().compileAll(scheme!);
  };
  const first = await compiled();
  expect(first.size).toBeGreaterThan(0);
  const second = await compiled({ runs: 3 });
  for (const [name, program] of first) expect(second.get(name)).toBe(program);

  // The program of another text, or at another path, is another one: BMv2 JSON names the path.
  const other = await compiled({ schemes: "[{ scheme: ecmp, label: plain }]" });
  const seeded = await compiled({
    schemes: "[{ scheme: ecmp, hash: { tor: { up: { function: xor16 } } } }]",
  });
  for (const [name, program] of first) {
    expect(other.get(name)).not.toBe(program);
    expect(JSON.stringify(other.get(name)!.bmv2)).toContain(`plain/${name}.p4`);
  }
  expect(seeded.get("tor")).not.toBe(first.get("tor"));
});
