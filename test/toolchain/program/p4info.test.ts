import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import {
  createP4Info,
  type P4Info,
  P4InfoIndex,
  p4InfoFormatOf,
  p4info,
  p4types,
  readP4Info,
  sameP4Info,
  validateP4Info,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "../../../src/toolchain/program/index.js";
// the text format itself is internal to the room
import { readText } from "../../../src/toolchain/program/p4info/text-reader.js";
import { writeText } from "../../../src/toolchain/program/p4info/text-writer.js";

const golden = join(import.meta.dirname, "../../golden");
const goldenFiles = readdirSync(golden)
  .map((name) => join(golden, name, `${name}.p4info.txtpb`))
  .filter((path) => existsSync(path));

function read(text: string, path = "x.txtpb"): P4Info {
  const diagnostics = new Diagnostics();
  const info = readP4Info(new SourceFile(path, text), undefined, diagnostics);
  diagnostics.throwIfErrors();
  return info!;
}

function problems(text: string, path = "x.txtpb"): string[] {
  const diagnostics = new Diagnostics();
  expect(readP4Info(new SourceFile(path, text), undefined, diagnostics)).toBeUndefined();
  return diagnostics.list.map(formatDiagnostic);
}

const cpu = () => read(readFileSync(join(golden, "cpu/cpu.p4info.txtpb"), "utf8"));

describe("P4Info files of p4c", () => {
  it("are there", () => expect(goldenFiles.length).toBe(12));

  for (const path of goldenFiles) {
    const text = readFileSync(path, "utf8");
    const name = path.slice(path.lastIndexOf("/") + 1);
    it(`${name}: prints back byte for byte, and survives binary and JSON`, () => {
      const info = read(text);
      expect(writeP4InfoText(info)).toBe(text);
      const diagnostics = new Diagnostics();
      const binary = readP4Info(writeP4InfoBinary(info), undefined, diagnostics)!;
      expect(writeP4InfoText(binary)).toBe(text);
      const json = readP4Info(new SourceFile("x.json", writeP4InfoJson(info)), undefined, diagnostics)!;
      expect(writeP4InfoText(json)).toBe(text);
      expect(diagnostics.list).toEqual([]);
    });
    it(`${name}: is valid`, () => {
      const diagnostics = new Diagnostics();
      expect(validateP4Info(read(text), diagnostics)).toBe(true);
      expect(diagnostics.list).toEqual([]);
    });
  }
});

describe("readP4Info", () => {
  it("chooses the format by name, then by content", () => {
    expect(p4InfoFormatOf("a/b.p4info.txtpb")).toBe("text");
    expect(p4InfoFormatOf("b.bin")).toBe("binary");
    expect(p4InfoFormatOf("b.json")).toBe("json");
    expect(p4InfoFormatOf("txt")).toBeUndefined();
    for (const ending of ["txt", "prototxt", "textproto"]) expect(p4InfoFormatOf(`a.${ending}`)).toBe("text");
    expect(read('{"pkgInfo": {"arch": "psa"}}', "unnamed").pkgInfo?.arch).toBe("psa");
    expect(read('pkg_info { arch: "psa" }', "unnamed").pkgInfo?.arch).toBe("psa");
  });

  it("takes all the text format's spellings", () => {
    const info = read(`
      # comment
      pkg_info < arch: 'v1' "model"; version: "\\x41\\102\\u00e9\\n" >,
      tables: { preamble { id: 0x2000001, name: "t" } size: 010
        action_refs [ { id: 1 scope: DEFAULT_ONLY }, { id: 2 scope: 1 } ]
        direct_resource_ids: [1, 2] direct_resource_ids: 3
        is_const_table: t
      }
      type_info { new_types { value { } key: "k" } }`);
    expect(info.pkgInfo).toMatchObject({ arch: "v1model", version: "ABé\n" });
    expect(info.tables[0]).toMatchObject({ size: 8n, directResourceIds: [1, 2, 3], isConstTable: true });
    expect(info.tables[0]!.actionRefs.map((r) => r.scope)).toEqual([2, 1]);
    expect(Object.keys(info.typeInfo!.newTypes)).toEqual(["k"]);
  });

  it.each([
    ["P41001", 'pkg_info { arch: "v1model" ', 1, 28],
    ["P41001", 'pkg_info { arch "v1model" }', 1, 17],
    ["P41001", 'pkg_info { arch: "v1 }', 1, 18],
    ["P41001", 'pkg_info { arch: "\\q" }', 1, 19],
    ["P41001", 'pkg_info { arch: "\\777" }', 1, 19],
    ["P41001", "tables { @ }", 1, 10],
    ["P41002", "tables {\n  colour: 3\n}", 2, 3],
    ["P41002", "tables { other_properties { [type.googleapis.com/x] { } } }", 1, 29],
    ["P41003", "tables { preamble { id: -1 } }", 1, 25],
    ["P41003", "tables { preamble { id: 4294967296 } }", 1, 25],
    ["P41003", "tables { size: 089 }", 1, 16],
    ["P41003", "tables { match_fields { match_type: EXAKT } }", 1, 37],
    ["P41003", 'pkg_info { arch: "a" arch: "b" }', 1, 22],
    ["P41003", 'tables { match_fields { match_type: LPM other_match_type: "x" } }', 1, 41],
    ["P41003", 'pkg_info { arch: "\\377" }', 1, 18],
    ["P41003", 'pkg_info { arch: ["a"] }', 1, 18],
    ["P41001", 'pkg_info { arch: "\\U00110000" }', 1, 19],
    ["P41001", "pkg_info { arch: 'x\" }", 1, 18],
    ["P41003", "tables { match_fields { match_type: -2147483649 } }", 1, 37],
    ["P41003", "tables { const_default_action_id: 1 is_const_table: 2 }", 1, 53],
    ["P41002", "tables { size: 07x }", 1, 18],
    ["P41003", "tables { size: 9223372036854775808 }", 1, 16],
  ])("points at the mistake: %s %s", (code, text, line, column) => {
    const [first] = problems(text);
    expect(first).toContain(`x.txtpb:${line}:${column}: error[${code}]`);
  });

  it("refuses endless nesting, broken JSON and broken bytes", () => {
    expect(problems(`digests { type_spec { ${"tuple { members { ".repeat(60)}`)[0]).toContain(
      "nested deeper",
    );
    expect(problems('{"tables": 3}', "x.json")[0]).toContain("P41004");
    const diagnostics = new Diagnostics();
    expect(readP4Info(Uint8Array.of(0x0a, 0x7f), undefined, diagnostics)).toBeUndefined();
    expect(diagnostics.list[0]!.code).toBe("P41005");
  });
});

describe("text format", () => {
  it("takes strings in single quotes, octal and signed numbers, numbers of enums, and words for truth", () => {
    const info = read(
      "pkg_info { arch: 'it\\'s \"so\"' } tables { size: -017 is_const_table: True match_fields { match_type: 2 } match_fields { match_type: -1 } }",
    );
    expect(info.pkgInfo!.arch).toBe('it\'s "so"');
    expect(info.tables[0]!.size).toBe(-15n);
    expect(info.tables[0]!.isConstTable).toBe(true);
    expect(info.tables[0]!.matchFields.map(({ match }) => match.value)).toEqual([2, -1]);
  });

  it("says the values of an enum where one is wrong, and nothing more elsewhere", () => {
    expect(problems("tables { match_fields { match_type: EXAKT } }")[0]).toContain(
      "note: its values: UNSPECIFIED, EXACT",
    );
    expect(problems("tables { size: x }")[0]).not.toContain("note");
  });

  it("takes separators, a negative number where one may be, and no word that only begins as true does", () => {
    const info = read(
      'type_info { enums { key: "e", value: { members { name: "a" } } } enums { key: "f"; } } action_profiles { max_group_size: -1 }',
    );
    expect(Object.entries(info.typeInfo!.enums).map(([name, { members }]) => [name, members.length])).toEqual(
      [
        ["e", 1],
        ["f", 0],
      ],
    );
    expect(info.actionProfiles[0]!.maxGroupSize).toBe(-1);
    expect(problems("tables { is_const_table: truely }")[0]).toContain('takes true or false, found "truely"');
    expect(problems("type_info { enums { value { } } }")[0]).toContain("without a key");
  });

  it("writes maps in the order of their keys", () => {
    const enums = (names: string[]) =>
      createP4Info({ typeInfo: { enums: Object.fromEntries(names.map((name) => [name, { members: [] }])) } });
    const text = writeP4InfoText(enums(["b", "c", "a"]));
    expect(text).toBe(writeP4InfoText(enums(["a", "b", "c"])));
    expect([...text.matchAll(/key: "(.)"/g)].map((one) => one[1])).toEqual(["a", "b", "c"]);
  });

  it("writes JSON in lines", () => {
    expect(writeP4InfoJson(createP4Info({ pkgInfo: { arch: "x" } }))).toBe(
      '{\n "pkgInfo": {\n  "arch": "x"\n }\n}\n',
    );
  });

  it("keeps any text and any bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.uint8Array(),
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        (s, b, n) => {
          const name = s;
          const info = createP4Info({
            pkgInfo: { name },
            tables: [{ size: n, initialDefaultAction: { arguments: [{ paramId: 7, value: b }] } }],
            typeInfo: { enums: { [name]: { members: [{ name }] } } },
          });
          const text = writeText(p4info.P4InfoSchema, info);
          expect(text).toMatch(/^[\x20-\x7e\n]*$/);
          const back = readText(new SourceFile("x", text), p4info.P4InfoSchema);
          expect(writeP4InfoBinary(back)).toEqual(writeP4InfoBinary(info));
        },
      ),
    );
  });
});

describe("P4InfoIndex", () => {
  const index = new P4InfoIndex(cpu());

  it("finds by name, alias and id", () => {
    const table = index.tables.byName("TheIngress.destinations")!;
    expect(index.tables.byName("destinations")).toBe(table);
    expect(index.tables.byId(table.id)).toBe(table);
    expect(index.tables.byName("nothing")).toBeUndefined();
    expect(table.fields.byName("hdr.eth.dst")).toMatchObject({ id: 1, bitwidth: 48, kind: "exact" });
    expect(table.fields.byId(2)).toBeUndefined();
    expect(table.hasPriority).toBe(false);
    expect(index.controllerHeaders.byName("packet_in")!.fields.list.length).toBeGreaterThan(0);
  });

  it("resolves references", () => {
    const table = index.tables.byName("destinations")!;
    expect([...table.actions.values()].map((use) => use.scope)).toEqual([0, 0, 0, 0, 2]);
    expect(table.directCounter ?? table.directMeter).toBeDefined();
    const selector = new P4InfoIndex(
      read(readFileSync(join(golden, "selector/selector.p4info.txtpb"), "utf8")),
    );
    for (const profile of selector.actionProfiles.list) {
      expect(profile.tables.map((t) => t.id)).toEqual(profile.message.tableIds);
      for (const user of profile.tables) expect(user.profile).toBe(profile);
    }
  });

  it("sees through types", () => {
    const bit = {
      typeSpec: { case: "bitstring", value: { typeSpec: { case: "bit", value: { bitwidth: 9 } } } },
    } as const;
    const named = (name: string) => ({ typeSpec: { case: "newType", value: { name } } }) as const;
    const types = new P4InfoIndex(
      createP4Info({
        tables: [{ matchFields: [{ id: 1, name: "f", typeName: { name: "text_t" } }] }],
        typeInfo: {
          newTypes: {
            a_t: { representation: { case: "originalType", value: bit } },
            b_t: { representation: { case: "originalType", value: named("a_t") } },
            loop_t: { representation: { case: "originalType", value: named("loop_t") } },
            port_t: {
              representation: {
                case: "translatedType",
                value: { sdnType: { case: "sdnBitwidth", value: 32 } },
              },
            },
            text_t: {
              representation: {
                case: "translatedType",
                value: { sdnType: { case: "sdnString", value: {} } },
              },
            },
          },
          structs: {
            s: {
              members: [
                { name: "x", typeSpec: bit },
                { name: "y", typeSpec: named("port_t") },
              ],
            },
          },
        },
      }),
    );
    const spec = (name: string) => create(p4types.P4DataTypeSpecSchema, named(name));
    expect(types.bitwidthOf(spec("b_t"))).toBe(9);
    expect(types.bitwidthOf(spec("port_t"))).toBe(32);
    expect(types.bitwidthOf(spec("loop_t"))).toBeUndefined();
    expect(types.tables.list[0]!.fields.list[0]!.isString).toBe(true);
    const struct = create(p4types.P4DataTypeSpecSchema, {
      typeSpec: { case: "struct", value: { name: "s" } },
    });
    expect(types.membersOf(struct)!.map((m) => types.bitwidthOf(m))).toEqual([9, 32]);
  });
});

describe("sameP4Info", () => {
  it("ignores order where it means nothing, and shows every other difference", () => {
    const a = cpu();
    const b = cpu();
    b.tables.reverse();
    b.actions.reverse();
    for (const table of b.tables) table.actionRefs.reverse();
    expect(sameP4Info(a, b)).toEqual([]);
    b.tables.find((t) => t.preamble!.alias === "destinations")!.size = 5n;
    b.actions.pop();
    b.controllerPacketMetadata[0]!.metadata.reverse();
    const differences = sameP4Info(a, b);
    expect(differences[0]).toBe('tables["TheIngress.destinations"].size: 4 / 5');
    expect(differences[1]).toMatch(/^actions\[.*\]: only in the first$/);
    expect(differences.slice(2).every((d) => d.startsWith("controller_packet_metadata["))).toBe(true);
  });

  it("ignores the order of a table's direct resources, but not their number", () => {
    const withResources = (ids: number[]) => {
      const info = cpu();
      info.tables[0]!.directResourceIds = ids;
      return info;
    };
    expect(sameP4Info(withResources([1, 2]), withResources([2, 1]))).toEqual([]);
    expect(sameP4Info(withResources([1, 2]), withResources([2]))).toHaveLength(1);
  });

  it("names what only the second has", () => {
    const fewer = cpu();
    fewer.digests.pop();
    expect(sameP4Info(fewer, cpu())).toEqual([expect.stringMatching(/^digests\[.*\]: only in the second$/)]);
  });

  it("finds a change of any single scalar", () => {
    const text = writeP4InfoText(cpu());
    const places = [...text.matchAll(/: (\d+)\n/g)];
    fc.assert(
      fc.property(fc.nat(places.length - 1), (i) => {
        const at = places[i]!.index + 2;
        const changed = `${text.slice(0, at)}1${text.slice(at)}`;
        const diagnostics = new Diagnostics();
        const other = readP4Info(new SourceFile("x.txtpb", changed), "text", diagnostics);
        fc.pre(other !== undefined);
        expect(sameP4Info(cpu(), other!)).not.toEqual([]);
      }),
    );
  });
});

describe("validateP4Info", () => {
  const codes = (change: (info: P4Info) => void): string[] => {
    const info = cpu();
    change(info);
    const diagnostics = new Diagnostics();
    expect(validateP4Info(info, diagnostics)).toBe(diagnostics.list.length === 0);
    return diagnostics.list.map((d) => d.code);
  };

  it.each<[string, string, (info: P4Info) => void]>([
    ["two tables of one id", "P41006", (i) => void (i.tables[1]!.preamble!.id = i.tables[0]!.preamble!.id)],
    ["an id of another kind", "P41006", (i) => void (i.digests[0]!.preamble!.id = 0x02000001)],
    ["no id", "P41006", (i) => void (i.digests[0]!.preamble!.id = 0)],
    [
      "two tables of one name",
      "P41006",
      (i) => void (i.tables[1]!.preamble!.name = i.tables[0]!.preamble!.name),
    ],
    ["two fields of one id", "P41006", (i) => void (i.tables[1]!.matchFields[1]!.id = 1)],
    ["an action that is missing", "P41007", (i) => void (i.tables[0]!.actionRefs[0]!.id = 0x01000001)],
    [
      "an action that is listed twice",
      "P41006",
      (i) => void i.tables[0]!.actionRefs.push(i.tables[0]!.actionRefs[0]!),
    ],
    [
      "a default action of another table",
      "P41007",
      (i) => void (i.tables[0]!.initialDefaultAction!.actionId = 1),
    ],
    ["a direct resource that is missing", "P41007", (i) => void (i.tables[0]!.directResourceIds = [5])],
    ["a profile that is missing", "P41007", (i) => void (i.tables[0]!.implementationId = 5)],
    ["a struct that is missing", "P41007", (i) => void (i.typeInfo!.structs = {})],
    ["a field of no width", "P41008", (i) => void (i.tables[0]!.matchFields[0]!.bitwidth = 0)],
    ["a field of absurd width", "P41008", (i) => void (i.tables[0]!.matchFields[0]!.bitwidth = 1 << 30)],
    [
      "a field of no match type",
      "P41008",
      (i) => void (i.tables[0]!.matchFields[0]!.match = { case: undefined }),
    ],
    ["a negative size", "P41008", (i) => void (i.tables[0]!.size = -1n)],
  ])("refuses %s", (_, code, change) => {
    expect(codes(change)).toContain(code);
  });
});

describe("wrong files", () => {
  const bad = join(import.meta.dirname, "../../bad/program");
  for (const name of readdirSync(bad).filter((file) => /^P4100[1-8]-.*\.(txtpb|json|bin)$/.test(file))) {
    it(name, () => {
      const diagnostics = new Diagnostics();
      const bytes = readFileSync(join(bad, name));
      const input = name.endsWith(".bin") ? bytes : new SourceFile(name, bytes.toString("utf8"));
      const info = readP4Info(input, undefined, diagnostics);
      if (info !== undefined) validateP4Info(info, diagnostics);
      expect(diagnostics.list.map((d) => d.code)).toContain(name.slice(0, 6));
    });
  }
});
