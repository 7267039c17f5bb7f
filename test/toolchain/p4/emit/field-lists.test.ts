/** What a packet keeps of the metadata when it is cloned, resubmitted or recirculated, run in the switch. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { compileParts, type Parts } from "../lower/v1model.js";

const packet: Parts = {
  headers: "h_t h;",
  states: "state start { pkt.extract(hdr.h); transition accept; }",
  deparser: "pkt.emit(hdr.h);",
};

const declarations = `header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
  enum bit<8> List { first = 3, second = 4 }`;

/** The packets that answer 00000000, without the order in which they leave. */
async function answers(parts: Parts): Promise<string[]> {
  const { program } = compileParts({
    ...packet,
    ...parts,
    top: `${declarations} ${parts.top ?? ""}`,
  });
  const out: string[] = [];
  const node = new Switch(program, {
    clock: { now: () => 0, at: () => () => undefined },
    transmit: (port, frame) => out.push(`${port}:${toHex(frame)}`),
  });
  await node.write([
    {
      type: "insert",
      entity: {
        kind: "cloneSession",
        sessionId: 7,
        replicas: [{ port: 9, instance: 1 }],
        classOfService: 0,
        packetLengthBytes: 0,
      },
    },
  ]);
  node.receive(0, fromHex("00000000")!);
  return out.sort();
}

/** Sets three fields, recirculates once with the list, and writes into the packet what is left. */
const recirculated = (fields: [string, string, string], list: string): Parts => ({
  ingress: `if (sm.instance_type == 4) { hdr.h.a = ${fields[0]}; hdr.h.b = ${fields[1]}; hdr.h.c = ${fields[2]}; }
    else { ${fields.map((field, index) => `${field} = ${index + 1};`).join(" ")} }`,
  egress: `if (hdr.h.d == 0) { hdr.h.d = 1; recirculate_preserving_field_list(${list}); }`,
});

describe("fields inside a struct of the metadata", () => {
  const top = "struct m_t { @field_list(3) bit<8> i; bit<8> j; @field_list(4, 3) bit<8> k; }";
  const fields: [string, string, string] = ["meta.r.i", "meta.r.j", "meta.r.k"];

  it.each([
    ["3", "1:01000301"],
    ["4", "1:00000301"],
    ["List.first", "1:01000301"],
    ["5", "1:00000001"],
  ])("recirculate with list %s", async (list, answer) => {
    expect(await answers({ top, metadata: "m_t r;", ...recirculated(fields, list) })).toEqual([answer]);
  });
});

describe("other places of the annotation", () => {
  const fields: [string, string, string] = ["meta.r.i", "meta.r.s.j", "meta.r.s.k"];
  const nested = (inner: string, outer = "") =>
    `struct s_t { ${inner} } struct m_t { bit<8> i; ${outer} s_t s; }`;

  it("on a field whose type is a struct: all fields inside", async () => {
    const top = nested("bit<8> j; bit<8> k;", "@field_list(3)");
    expect(await answers({ top, metadata: "m_t r;", ...recirculated(fields, "3") })).toEqual(["1:00020301"]);
    expect(await answers({ top, metadata: "@field_list(4) m_t r;", ...recirculated(fields, "4") })).toEqual([
      "1:01020301",
    ]);
  });

  it("on the declaration of a struct", async () => {
    const top = `@field_list(3) ${nested("bit<8> j; bit<8> k;")}`;
    expect(await answers({ top, metadata: "m_t r;", ...recirculated(fields, "3") })).toEqual(["1:00020301"]);
  });

  it("the outermost one decides, as in p4c", async () => {
    const top = nested("@field_list(4) bit<8> j; bit<8> k;", "@field_list(3)");
    const metadata = "m_t r;";
    expect(await answers({ top, metadata, ...recirculated(fields, "3") })).toEqual(["1:00020301"]);
    expect(await answers({ top, metadata, ...recirculated(fields, "4") })).toEqual(["1:00000001"]);
  });

  it("on an array", async () => {
    const top = "struct m_t { @field_list(3) bit<8>[3] v; }";
    const values: [string, string, string] = ["meta.r.v[0]", "meta.r.v[1]", "meta.r.v[2]"];
    expect(await answers({ top, metadata: "m_t r;", ...recirculated(values, "3") })).toEqual(["1:01020301"]);
  });
});

it("resubmit keeps nested fields", async () => {
  const top = "struct m_t { @field_list(3) bit<8> i; bit<8> j; }";
  const ingress = `if (sm.instance_type == 0) {
      meta.r.i = 5; meta.r.j = 6;
      resubmit_preserving_field_list(3);
    } else { hdr.h.a = meta.r.i; hdr.h.b = meta.r.j; }`;
  expect(await answers({ top, metadata: "m_t r;", ingress })).toEqual(["1:05000000"]);
});

it("clones keep nested fields", async () => {
  const top = "struct m_t { @field_list(3) bit<8> i; @field_list(4) bit<8> j; }";
  const ingress = "meta.r.i = 5; meta.r.j = 6; clone_preserving_field_list(CloneType.I2E, 7, 3);";
  const egress = `if (sm.instance_type == 0) {
      meta.r.i = 7; meta.r.j = 8;
      clone_preserving_field_list(CloneType.E2E, 7, 4);
    } else { hdr.h.a = (bit<8>)sm.instance_type; hdr.h.b = meta.r.i; hdr.h.c = meta.r.j; }`;
  expect(await answers({ top, metadata: "m_t r;", ingress, egress })).toEqual([
    "1:00000000",
    "9:01050000",
    "9:02000800",
  ]);
});
