/** Every example of `p4loom explain`: the wrong input has its code and no other, the right one is right. */
import { describe, expect, it } from "vitest";
import { installedCatalogue } from "../../src/cli/explain/explain.js";
import { codesOf } from "./example-runners.js";

const entries = installedCatalogue().flatMap((group) => group.entries);
const examples = entries.flatMap(({ code, example }) =>
  example === undefined ? [] : [{ code, ...example }],
);

/** A fragment has no `main`, or one of its own package: reported beside its mistake, or although it has none. */
const FRAGMENT = ["P40430", "P40431"];

describe("examples", () => {
  it.each(examples)("$code", async ({ code, name, wrong, right }) => {
    const codesIn = async (text: string) =>
      (await codesOf(code, name, text)).filter((one) => one === code || !FRAGMENT.includes(one));
    expect([...new Set(await codesIn(wrong))]).toEqual([code]);
    expect(await codesIn(right)).toEqual([]);
  });

  it("do not become fewer", () => {
    expect(examples.length).toBeGreaterThanOrEqual(281);
  });
});
