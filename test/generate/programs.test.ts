import { describe, expect, it } from "vitest";
import {
  type PecmpProgram,
  type ProgramPlan,
  renderProgram,
  renderPrograms,
} from "../../src/generate/index.js";
import { FIELD_BITS, SELECTOR_FIELDS, selectorHeaders, selectorOf } from "../../src/hosts/index.js";
import { messagesOf } from "../topology/load.js";
import { templates } from "./load.js";

const values: PecmpProgram = {
  field: "dscp",
  up: { low: 0, width: 3 },
  down: { low: 0, width: 3 },
  hash: { algorithm: "crc32", order: "forward" },
  sizes: { routes: 16, groups: 32, members: 64, selectorRows: 128 },
};
const leaf = (changes: object = {}) =>
  renderProgram(templates, { name: "leaf", template: "pecmp/leaf", values: { ...values, ...changes } });

/** Lines of a rendered program that mention the word. */
const lines = (text: string, word: string) =>
  text
    .split("\n")
    .filter((line) => line.includes(word))
    .map((line) => line.trim());

describe("P-ECMP programs", () => {
  it.each([
    ["dscp", ["meta.selector = hdr.ipv4.dscp;", "meta.selector = hdr.ipv6.dscp;"]],
    ["vlan", ["meta.selector = hdr.vlan.id;"]],
    ["flow_label", ["meta.selector = hdr.ipv6.flow_label;"]],
    [
      "dscp_flow_label",
      ["meta.selector = (bit<26>)hdr.ipv4.dscp;", "meta.selector = hdr.ipv6.flow_label ++ hdr.ipv6.dscp;"],
    ],
  ] as const)("read the selector from %s", (field, expected) => {
    expect(lines(leaf({ field }), "meta.selector = ")).toEqual(expected);
  });

  it("read their slices, with the version bit on top", () => {
    const text = leaf({ up: { low: 1, width: 4, version: 5 }, down: { low: 3, width: 2 } });
    expect(lines(text, "meta.slice = ")).toEqual([
      "meta.slice = meta.selector[5:5] ++ (bit<15>)meta.selector[4:1];",
      "meta.slice = (bit<16>)meta.selector[4:3];",
    ]);
  });

  it("hash the tuple in the order asked for, never the selector", () => {
    const keys = (order: string) => lines(leaf({ hash: { algorithm: "crc16", order } }), ": selector;");
    expect(keys("forward")).toEqual([...keys("reversed")].reverse());
    expect(keys("forward").join()).not.toContain("meta.selector");
    expect(keys("forward")).toHaveLength(6);
  });

  it("have the table sizes asked for", () => {
    const sizes = lines(leaf(), "size = ");
    expect(sizes).toEqual(["size = 16;", "size = 16;", "size = 128;", "size = 32;"]);
    expect(leaf()).toContain("action_selector(HashAlgorithm.crc32, 64, 32)");
  });
});

describe("ECMP programs", () => {
  const values = {
    role: "tor" as const,
    hash: { algorithm: "crc16" as const, order: "forward" as const },
    sizes: { routes: 16, groups: 16, members: 16 },
  };
  it("hash the selector only for PRR", () => {
    const plain = renderProgram(templates, { name: "tor", template: "ecmp/switch", values });
    expect(plain).not.toContain("meta.selector");
    const hashed = renderProgram(templates, {
      name: "tor",
      template: "ecmp/switch",
      values: { ...values, hashedField: "flow_label" },
    });
    expect(lines(hashed, "meta.selector")).toEqual([
      "meta.selector = hdr.ipv6.flow_label;",
      "meta.selector : selector;",
    ]);
  });
});

describe("wrong parameters", () => {
  it("are named", () => {
    const wrong = {
      ...values,
      sizes: { ...values.sizes, members: 0 },
      colour: "red",
    } as unknown as PecmpProgram;
    const plan: ProgramPlan = { name: "leaf", template: "pecmp/leaf", values: wrong };
    const message = messagesOf(() => renderPrograms(templates, [plan]));
    expect(message).toContain('error[P42004]: wrong values for template "pecmp/leaf"');
    expect(message).toContain("sizes.members");
    expect(message).toContain("colour");
  });

  it("cannot name bits that the field lacks", () => {
    expect(messagesOf(() => leaf({ up: { low: 4, width: 3 } }))).toBe(
      "error[P42005]: selector bit 6 lies outside dscp, which has 6 bits",
    );
    expect(() => leaf({ up: { low: 3, width: 3 } })).not.toThrow();
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
