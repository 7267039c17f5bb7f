import { describe, expect, it } from "vitest";
import { type EcmpProgram, ecmpProgram } from "../../../../src/fabric/schemes/ecmp/plan.js";
import { type PecmpProgram, pecmpProgram } from "../../../../src/fabric/schemes/pecmp/program.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { messagesOf } from "../../topology/load.js";

const way: NonNullable<PecmpProgram["up"]> = {
  slice: { low: 0, width: 3 },
  hash: { algorithm: "crc32", order: "forward" },
  groups: 32,
  members: 64,
};
const values: PecmpProgram = {
  field: "dscp",
  up: way,
  down: { ...way, hash: { algorithm: "crc16", order: "reversed" }, groups: 8, members: 4 },
  sizes: { routes: 16, selectorRows: 128 },
};
const leaf = (changes: object = {}) =>
  renderProgram(templates, pecmpProgram("leaf", "pecmp/leaf", { ...values, ...changes }));

/** Lines of a rendered program that mention the word. */
/** Lines with a word, without the spaces that align columns. */
const lines = (text: string, word: string) =>
  text
    .split("\n")
    .map((line) => line.trim().replace(/ +/g, " "))
    .filter((line) => line.includes(word));

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

  it("read their slices, and the version bit as a key of the routes", () => {
    const text = leaf({
      up: { ...way, slice: { low: 1, width: 4, version: 5 } },
      down: { ...way, slice: { low: 3, width: 2 } },
      version: 5,
    });
    expect(lines(text, "meta.version")).toEqual([
      "meta.version : exact;",
      "meta.version : exact;",
      "meta.version = meta.selector[5:5];",
    ]);
    expect(lines(text, "meta.slice = ")).toEqual([
      "meta.slice = (bit<16>)meta.selector[4:1];",
      "meta.slice = (bit<16>)meta.selector[4:3];",
    ]);
  });

  it("hash the tuple in the order asked for, never the selector", () => {
    const keys = (order: string) =>
      lines(leaf({ up: { ...way, hash: { algorithm: "crc16", order } }, down: undefined }), ": selector;");
    expect(keys("forward")).toEqual([...keys("reversed")].reverse());
    expect(keys("forward").join()).not.toContain("meta.selector");
    expect(keys("forward")).toHaveLength(6);
  });

  it("have one selector a direction, each with the function and the seed of its direction", () => {
    const text = leaf();
    expect(lines(text, "action_selector(")).toEqual([
      "action_selector(HashAlgorithm.crc32, 64, 32) up_members;",
      "action_selector(HashAlgorithm.crc16, 4, 32) down_members;",
    ]);
    const keys = lines(text, ": selector;");
    expect([keys[5], keys[6]]).toEqual(["meta.up_seed : selector;", "meta.down_seed : selector;"]);
    expect(lines(text, "action set_hash_seed")).toEqual(["action set_hash_seed(bit<16> up, bit<16> down) {"]);
    expect(lines(text, ".apply();").slice(-3)).toEqual([
      "row_of_selector.apply();",
      "up_matrix.apply();",
      "down_matrix.apply();",
    ]);
  });

  it("have the table sizes asked for", () => {
    const sizes = lines(leaf(), "size = ");
    expect(sizes).toEqual(["size = 16;", "size = 16;", "size = 128;", "size = 32;", "size = 8;"]);
  });
});

describe("ECMP programs", () => {
  const values: EcmpProgram = {
    role: "tor",
    up: { hash: { algorithm: "crc16", order: "forward" }, groups: 16, members: 16 },
    routes: 16,
  };
  const tor = (changes: object = {}) =>
    renderProgram(templates, ecmpProgram("tor", { ...values, ...changes }));

  it("hash the selector only for PRR", () => {
    expect(tor()).not.toContain("meta.selector");
    expect(lines(tor({ hashedField: "flow_label" }), "meta.selector")).toEqual([
      "meta.selector = hdr.ipv6.flow_label;",
      "meta.selector : selector;",
    ]);
  });
});

describe("wrong values", () => {
  it("are named", () => {
    const message = messagesOf(() => leaf({ up: { ...way, members: 0 }, colour: "red" }));
    expect(message).toContain('error[P42004]: wrong values for template "pecmp/leaf"');
    expect(message).toContain("up.members");
    expect(message).toContain("colour");
  });

  it("cannot name bits that the field lacks", () => {
    expect(messagesOf(() => leaf({ up: { ...way, slice: { low: 4, width: 3 } } }))).toBe(
      "error[P42005]: selector bit 6 lies outside dscp, which has 6 bits",
    );
    expect(() => leaf({ up: { ...way, slice: { low: 3, width: 3 } } })).not.toThrow();
  });
});
