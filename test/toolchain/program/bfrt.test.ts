import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import {
  bfrtSchema,
  createP4Info,
  type P4Info,
  readBfrt,
  readP4Info,
  sameBfrt,
  sameP4Info,
  validateP4Info,
  writeBfrt,
  writeP4InfoBinary,
  writeP4InfoJson,
  writeP4InfoText,
} from "../../../src/toolchain/program/index.js";

const golden = join(import.meta.dirname, "../../golden/bfrt");
const p4infoText = readFileSync(join(golden, "every-kind.txtpb"), "utf8");

function read(text: string): P4Info {
  const diagnostics = new Diagnostics();
  const info = readP4Info(new SourceFile("x.txtpb", text), undefined, diagnostics);
  diagnostics.throwIfErrors();
  return info!;
}

function codes(p4info: P4Info): string[] {
  const diagnostics = new Diagnostics();
  expect(bfrtSchema(p4info, diagnostics)).toBeUndefined();
  return diagnostics.list.map(({ code }) => code);
}

function schemaOf(p4info: P4Info) {
  const diagnostics = new Diagnostics();
  const schema = bfrtSchema(p4info, diagnostics);
  expect(diagnostics.list).toEqual([]);
  return schema!;
}

describe("a P4Info with each kind of extern instance", () => {
  it("is right, and the same as text, in binary form and as JSON", () => {
    const info = read(p4infoText);
    const diagnostics = new Diagnostics();
    expect(validateP4Info(info, diagnostics)).toBe(true);
    expect(writeP4InfoText(info)).toBe(p4infoText);
    const binary = readP4Info(writeP4InfoBinary(info), undefined, diagnostics)!;
    expect(writeP4InfoText(binary)).toBe(p4infoText);
    const json = readP4Info(new SourceFile("x.json", writeP4InfoJson(info)), undefined, diagnostics)!;
    expect(writeP4InfoText(json)).toBe(p4infoText);
    expect(diagnostics.list).toEqual([]);
  });

  it("becomes the schema that is recorded", async () => {
    await expect(writeBfrt(schemaOf(read(p4infoText)))).toMatchFileSnapshot(
      join(golden, "every-kind.bf-rt.json"),
    );
  });

  it("gives the same schema after each form", () => {
    const again = readP4Info(writeP4InfoBinary(read(p4infoText)), undefined, new Diagnostics())!;
    expect(sameBfrt(schemaOf(again), schemaOf(read(p4infoText)))).toEqual([]);
  });
});

describe("devices", () => {
  it("differ in stages, port metadata and what a snapshot tells", () => {
    const tna = schemaOf(createP4Info({ pkgInfo: { arch: "tna" } }));
    expect(tna.tables.map(({ name, size }) => [name, size])).toEqual([["tbl_dbg_counter", 192]]);
    const info = read(p4infoText);
    info.pkgInfo!.arch = "tna";
    const differences = sameBfrt(schemaOf(info), schemaOf(read(p4infoText)), 100);
    expect(differences).toContain("tables[tbl_dbg_counter].size: 192 / 320");
    expect(differences).toContain("tables[pipe.snapshot.cfg].key[1].type.default_value: 11 / 19");
    expect(differences).toContain(
      "tables[pipe.IngressParser.$PORT_METADATA].data[$DEFAULT_FIELD].singleton.type.width: 64 / 128",
    );
    expect(differences).toContain(
      "tables[pipe.snapshot.egress_data].data[long_branch_tables]: only in the second",
    );
  });
});

// ---------------------------------------------------------------- mutations

type Json = string | number | bigint | boolean | null | Json[] | { [key: string]: Json };

/**
 * Changes a document in one place after another and calls `judge` each time: a leaf changed, a member or element left out, an element
 * doubled. The number of changes.
 */
function forEachMutant(document: Json, judge: (mutant: Json, what: string) => void): number {
  const copy = structuredClone(document);
  let count = 0;
  const tryOut = (what: string, change: () => void, undo: () => void): void => {
    change();
    judge(copy, what);
    undo();
    count++;
  };
  const visit = (holder: Json, path: string): void => {
    if (typeof holder !== "object" || holder === null) return;
    const members = holder as Record<string, Json>;
    for (const key of Object.keys(holder)) {
      const value = members[key]!;
      const at = `${path}.${key}`;
      if (Array.isArray(holder)) {
        const index = Number(key);
        tryOut(
          `${at} left out`,
          () => holder.splice(index, 1),
          () => holder.splice(index, 0, value),
        );
        tryOut(
          `${at} twice`,
          () => holder.splice(index, 0, value),
          () => holder.splice(index, 1),
        );
      } else {
        tryOut(
          `${at} left out`,
          () => delete members[key],
          () => (members[key] = value),
        );
      }
      if (typeof value === "object" && value !== null) visit(value, at);
      else {
        tryOut(
          `${at} changed`,
          () => (members[key] = different(value)),
          () => (members[key] = value),
        );
      }
    }
  };
  visit(copy, "");
  return count;
}

function different(value: Json): Json {
  switch (typeof value) {
    case "number":
      return value + 1;
    case "bigint":
      return value - 1n;
    case "boolean":
      return !value;
    default:
      return `${String(value)}x`;
  }
}

/** The document with the elements of every list that is a set in another order. */
function reversed(value: Json, sets: ReadonlySet<string>, name = ""): Json {
  if (Array.isArray(value)) {
    const items = value.map((one) => reversed(one, sets));
    return sets.has(name) ? items.reverse() : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, reversed(one, sets, key)]),
  );
}

const BFRT_SETS = new Set(
  "tables learn_filters depends_on annotations action_specs data oneof container fields supported_operations attributes".split(
    " ",
  ),
);

describe("sameBfrt", () => {
  const text = readFileSync(join(golden, "every-kind.bf-rt.json"), "utf8");
  const document = readBfrt(new SourceFile("bf-rt.json", text), new Diagnostics()) as Json;

  it("finds no difference between a schema and itself, nor where only the order differs", () => {
    expect(sameBfrt(document, structuredClone(document))).toEqual([]);
    expect(sameBfrt(document, reversed(document, BFRT_SETS))).toEqual([]);
  });

  it("finds each mutation", () => {
    const missed: string[] = [];
    const count = forEachMutant(document, (mutant, what) => {
      if (sameBfrt(document, mutant, 1).length === 0) missed.push(what);
    });
    expect(missed).toEqual([]);
    expect(count).toBeGreaterThan(3000);
  });

  it("names the place and both values", () => {
    const other = structuredClone(document) as { tables: { id: number; key: { name: string }[] }[] };
    other.tables[0]!.id = 7;
    other.tables[0]!.key[0]!.name = "x";
    expect(sameBfrt(document, other)).toEqual([
      "tables[pipe.Ingress.acl].id: 33554433 / 7",
      'tables[pipe.Ingress.acl].key[0].name: "hdr.ipv4.src" / "x"',
    ]);
    expect(sameBfrt(document, other, 1)).toHaveLength(1);
  });
});

describe("sameP4Info", () => {
  const json = JSON.parse(writeP4InfoJson(read(p4infoText))) as Json;
  const back = (mutant: Json): P4Info | undefined =>
    readP4Info(new SourceFile("x.json", JSON.stringify(mutant)), "json", new Diagnostics());

  it("finds each mutation of a P4Info with extern instances, or the reader refuses it", () => {
    const original = read(p4infoText);
    const missed: string[] = [];
    let count = 0;
    forEachMutant(json, (mutant, what) => {
      const other = back(mutant);
      if (other === undefined) return;
      count++;
      if (sameP4Info(original, other).length === 0) missed.push(what);
    });
    expect(missed).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  it("finds no difference where only the order of objects differs", () => {
    const sets = new Set(["tables", "actions", "externs", "instances", "actionRefs", "directResourceIds"]);
    expect(sameP4Info(read(p4infoText), back(reversed(json, sets))!)).toEqual([]);
  });
});

// ---------------------------------------------------------------- integers

describe("readBfrt", () => {
  const value = (text: string) => readBfrt(new SourceFile("x.json", text), new Diagnostics());

  it("keeps integers that a number cannot hold", () => {
    expect(value('{"a" : 18446744073709551615, "b" : [-9223372036854775808, 12]}')).toEqual({
      a: 18446744073709551615n,
      b: [-9223372036854775808n, 12],
    });
    expect(value('"digits 18446744073709551615 \\" 18446744073709551615"')).toBe(
      'digits 18446744073709551615 " 18446744073709551615',
    );
  });

  it("does not take a string of the file for such an integer", () => {
    expect(value('"\\u0000integer x"')).toBe("\u0000integer x");
  });
});

describe("wrong files", () => {
  const bad = join(import.meta.dirname, "../../bad/program");
  for (const name of readdirSync(bad).filter((file) => /^P4102\d-/.test(file))) {
    it(name, () => {
      const file = new SourceFile(name, readFileSync(join(bad, name), "utf8"));
      const diagnostics = new Diagnostics();
      if (name.endsWith(".json")) {
        expect(readBfrt(file, diagnostics)).toBeUndefined();
        expect(diagnostics.list.map(({ code }) => code)).toEqual([name.slice(0, 6)]);
      } else expect(codes(read(file.text))).toEqual([name.slice(0, 6)]);
    });
  }

  it("an object that does not exist", () => {
    for (const change of [
      (info: P4Info) => void (info.tables[0]!.directResourceIds[0] = 7),
      (info: P4Info) => void (info.tables[0]!.actionRefs[0]!.id = 7),
      (info: P4Info) => void (info.tables[2]!.implementationId = 7),
      (info: P4Info) => void delete info.typeInfo!.structs["pair_t"],
    ]) {
      const info = read(p4infoText);
      change(info);
      expect(codes(info)).toEqual(["P41007"]);
    }
  });

  it("a new type that stands for itself through another one", () => {
    const info = read(p4infoText);
    const original = (name: string) => `value { original_type { new_type { name: "${name}" } } }`;
    const loop = read(
      `type_info { new_types { key: "a_t" ${original("b_t")} } new_types { key: "b_t" ${original("a_t")} } }`,
    );
    info.typeInfo!.newTypes = loop.typeInfo!.newTypes;
    const [first] = Object.values(info.typeInfo!.structs);
    for (const { typeSpec } of first!.members)
      typeSpec!.typeSpec = { case: "newType", value: { name: "a_t" } as never };
    for (const struct of Object.values(info.typeInfo!.structs)) struct.members = first!.members;
    expect(codes(info)).toEqual(["P41023"]);
  });

  it("a match kind with the name of what each object has", () => {
    const info = read(p4infoText);
    const [key] = info.tables[0]!.matchFields;
    key!.match = { case: "otherMatchType", value: "constructor" };
    const table = schemaOf(info).tables.find(({ name }) => name === info.tables[0]!.preamble!.name)!;
    expect(table.key.map(({ name }) => name)).not.toContain(key!.name);
  });
});
