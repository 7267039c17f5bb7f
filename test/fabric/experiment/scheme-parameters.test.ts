/** The parameters of a scheme in an experiment file are checked as `generate` checks them: the same errors, at the place of the entry. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { schemesSchema } from "../../../src/fabric/experiment/experiment.js";
import { loadExperimentFile } from "../../../src/fabric/experiment/index.js";
import { SCHEMES, type Scheme } from "../../../src/fabric/schemes/index.js";

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function wrongOf(schema: z.ZodType, input: unknown): Wrong[] {
  const { error } = schema.safeParse(input);
  return (error?.issues ?? []).map(({ path, message }) => ({ path, message }));
}

/** What `generate` says about settings of a scheme, at their place in a file. */
const byGenerate = (scheme: Scheme, settings: object) =>
  wrongOf(scheme.parameters as z.ZodType, settings).map(({ path, message }) => ({
    path: [0, ...path],
    message,
  }));
const byRun = (schemes: Readonly<Record<string, Scheme>>, name: string, settings: object): Wrong[] => {
  const issues = schemesSchema(schemes).safeParse([{ scheme: name, ...settings }]).error?.issues ?? [];
  // A list of names and maps is a union: the errors of a map are those of its branch.
  return issues.flatMap((issue): Wrong[] =>
    issue.code === "invalid_union"
      ? issue.errors
          .flat()
          .filter(({ path, code }) => path.length > 0 || code === "unrecognized_keys")
          .map(({ path, message }) => ({ path: [...issue.path, ...path], message }))
      : [{ path: issue.path, message: issue.message }],
  );
};

const value = fc.oneof(
  fc.integer({ min: -2, max: 70_000 }),
  fc.double({ min: -1, max: 3, noNaN: true }),
  fc.boolean(),
  fc.constantFrom(
    "5000s",
    "1ns",
    "40ms",
    "never",
    "auto",
    "none",
    "odd",
    "dscp",
    "ttl",
    "queue",
    "5KB",
    "9GB",
    "",
  ),
  fc.constantFrom([], {}, [1], [[1, 2]], null),
);

describe("a scheme's parameters in an experiment file", () => {
  it.each(Object.keys(SCHEMES))("%s: a check of several keys is part of them", (name) => {
    const scheme = SCHEMES[name]!;
    const parameters = (scheme.parameters as unknown as z.ZodObject).superRefine((_, context) =>
      context.addIssue({ code: "custom", path: ["hash_seed"], message: "expected another seed" }),
    );
    const checked = { ...SCHEMES, [name]: { ...scheme, parameters } } as Readonly<Record<string, Scheme>>;
    expect(byGenerate(checked[name]!, {})).toEqual([
      { path: [0, "hash_seed"], message: "expected another seed" },
    ]);
    expect(byRun(checked, name, {})).toEqual(byGenerate(checked[name]!, {}));
  });

  it.each(Object.keys(SCHEMES))("%s: whatever generate refuses, run refuses at its place", (name) => {
    const scheme = SCHEMES[name]!;
    const keys = Object.keys((scheme.parameters as unknown as z.ZodObject).shape);
    const settings = fc
      .uniqueArray(fc.tuple(fc.constantFrom(...keys, "no_such_key"), value), {
        selector: ([key]) => key,
        minLength: 1,
        maxLength: 3,
      })
      .map((pairs) => Object.fromEntries(pairs));
    fc.assert(
      fc.property(settings, (drawn) => {
        expect(byRun(SCHEMES, name, drawn)).toEqual(byGenerate(scheme, drawn));
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    [
      "cir: 1.2",
      "experiment.yaml:4:32: error[P43004]: schemes[0].cir: expected a committed rate of at most the peak rate 1, got 1.2",
    ],
    [
      "classes: [{ dscp: 2, share: 0.5, path: queue, up_to: 1MB }, { dscp: 2, share: 0.1, path: queue }]",
      "experiment.yaml:4:95: error[P43004]: schemes[0].classes[1].dscp: expected a DSCP that no other class has, got 2 again",
    ],
    [
      "classes: [{ dscp: 2, share: 0.5, path: queue }, { dscp: 4, share: 0.1, path: queue }]",
      "experiment.yaml:4:37: error[P43004]: schemes[0].classes[0]: expected up_to: only the last class has none, got a map of keys",
    ],
    [
      "classes: [{ dscp: 2, share: 0.9, path: queue, up_to: 1MB }, { dscp: 4, share: 0.2, path: queue }]",
      "experiment.yaml:4:105: error[P43004]: schemes[0].classes[1].share: expected shares whose sum is at most 1, got 1.1 with this class",
    ],
    [
      "flowlet_gap: 5000s",
      'experiment.yaml:4:40: error[P43004]: schemes[0].flowlet_gap: expected a time from 1us to 4294s, got "5000s"',
    ],
  ])("p4te: %s", (setting, message) => {
    const text = [
      "name: checked",
      "kind: load",
      "topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }",
      `schemes: [{ scheme: p4te, ${setting} }]`,
      "load: 0.5",
      "traffic: { sizes: web_search, flows: 3 }",
      "",
    ].join("\n");
    const diagnostics = new Diagnostics();
    loadExperimentFile(new SourceFile("experiment.yaml", text), diagnostics);
    expect(diagnostics.list.map((one) => formatDiagnostic(one).split("\n")[0])).toEqual([message]);
  });
});
