import { expect, it } from "vitest";
import { Diagnostics, SourceFile, spanText } from "../../../src/base/index.js";
import { chooseMutants, mutantsOf, mutatedText } from "../../../src/toolchain/mutation/index.js";

const file = new SourceFile(
  "p.p4",
  `control C(inout bit<8> x, in bool b) {
    action a() { x = 4; }
    apply {
        if (b && x > 1) {
            a();
        }
    }
}
`,
);
const mutants = mutantsOf(file, {}, new Diagnostics());

it("finds each change at its exact place, under a name of its own", () => {
  expect(mutants.map(({ name }) => name)).toEqual([
    "C.a: `x = 4;` left out",
    "C.a: `4` becomes `5`",
    "C.a: `4` becomes `0`",
    "C.apply: `b` left out of the condition",
    "C.apply: condition `b && x > 1` negated",
    "C.apply: condition `b && x > 1` always true",
    "C.apply: condition `b && x > 1` always false",
    "C.apply: `x > 1` left out of the condition",
    "C.apply: `b && x > 1` becomes one with `||`",
    "C.apply: `x > 1` becomes one with `>=`",
    "C.apply: `1` becomes `2`",
    "C.apply: `a();` left out",
  ]);
  expect(spanText(mutants[0]!.span)).toBe("x = 4;");
});

it("changes the text at this place alone", () => {
  expect(mutatedText(mutants[1]!)).toBe(file.text.replace("x = 4;", "x = 5;"));
  for (const mutant of mutants)
    expect(mutatedText(mutant).split("\n").length).toBe(file.text.split("\n").length);
});

it("takes the same mutants by the same seed, in their order", () => {
  const chosen = chooseMutants(mutants, 4, 7);
  expect(chosen).toHaveLength(4);
  expect(chooseMutants(mutants, 4, 7)).toEqual(chosen);
  expect(mutants.filter((one) => chosen.includes(one))).toEqual(chosen);
  expect(chooseMutants(mutants, 4, 8)).not.toEqual(chosen);
});
