import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FIELD_BITS, SELECTOR_FIELDS, selectorHeaders, selectorOf } from "../../../src/base/packets/index.js";
import { checkValues, renderProgram, withFaultTables } from "../../../src/toolchain/generate/index.js";
import { makeTemplateSet } from "../../../src/toolchain/generate/templates.js";
import { messagesOf } from "../../fabric/topology/load.js";

describe("a program", () => {
  const set = makeTemplateSet(
    new Map([["a/b", "{{x}}{{#each faults.tables}} {{this}} {{../faults.entries}}{{/each}}"]]),
    new Map(),
  );
  const plan = { name: "b", template: "a/b", values: { x: 7 } };

  it("has the values of its plan, and fault tables when they are asked for", () => {
    expect(renderProgram(set, plan)).toBe("7\n");
    expect(renderProgram(set, withFaultTables(plan))).toBe("7 faults 1024\n");
    expect(renderProgram(set, withFaultTables(plan, 2))).toBe("7 faults 1024 faults_2 1024\n");
  });
});

describe("values of a template", () => {
  const schema = z.strictObject({ size: z.number().min(1), colour: z.string().default("red") });

  it("pass with their defaults", () => {
    expect(checkValues("a/b", schema, { size: 2 })).toEqual({ size: 2, colour: "red" });
  });

  it("are named when they are wrong", () => {
    const message = messagesOf(() => checkValues("a/b", schema, { size: 0, shape: 1 }));
    expect(message).toContain('error[P42004]: wrong values for template "a/b"');
    expect(message).toContain("size");
    expect(message).toContain("shape");
  });
});

describe("selector fields", () => {
  it.each(SELECTOR_FIELDS)("%s carries every value it has bits for", (field) => {
    const limit = 2 ** FIELD_BITS[field];
    for (const selector of [0, 1, 5, limit >>> 1, limit - 2, limit - 1]) {
      expect(selectorOf(field, selectorHeaders(field, selector))).toBe(selector);
    }
  });
});
