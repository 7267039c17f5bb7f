/** The catalogue of diagnostics, and what `p4loom explain` prints of it. */
import { describe, expect, it, vi } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import { explain, installedCatalogue } from "../../../src/cli/explain/explain.js";
import {
  entryText,
  errorsPage,
  groupText,
  nearestCode,
  normalCode,
  readCatalogue,
} from "../../../src/toolchain/messages/index.js";

const WRONG = "control C(inout bit<8> x) {\n    apply {\n        x = ~1; // <- here\n    }\n}\n";

/** A catalogue of one group with one code, whose example is as given. */
function catalogueOf(example: string, wrong = WRONG) {
  const text = `title: Names\nabout: See [the page](a.md).\ncodes:\n  P40306:\n    meaning: a \`|\` of two types\n    remedy: cast one\n${example}`;
  return readCatalogue({ list: () => ["P403.yaml", "notes.md"], read: () => text, wrong: () => wrong });
}

describe("the catalogue", () => {
  it("makes the right input from the wrong one, without its mark", () => {
    const [group] = catalogueOf('    example: { wrong: types/a.p4, right: [["~1", "~8w1"]] }\n');
    expect(group!.entries[0]!.example).toEqual({
      name: "a.p4",
      wrong: WRONG,
      right: "control C(inout bit<8> x) {\n    apply {\n        x = ~8w1;\n    }\n}\n",
    });
    expect(entryText(group!, group!.entries[0]!)).toMatchSnapshot();
    expect(groupText(group!)).toBe("P403xx: Names\nSee the page.\n\nP40306  A `|` of two types.");
  });

  it("shows a long input where it differs", () => {
    const lines = Array.from({ length: 40 }, (_, index) => `// line ${index}`);
    const wrong = `${lines.join("\n")}\nx = ~1; // <- here\n${lines.join("\n")}\n`;
    const [group] = catalogueOf('    example: { wrong: types/a.p4, right: [["~1", "~8w1"]] }\n', wrong);
    expect(entryText(group!, group!.entries[0]!).split("\n").slice(6)).toEqual([
      ...[
        "Wrong:",
        "",
        "    ...",
        "    // line 38",
        "    // line 39",
        "    x = ~1; // <- here",
        "    // line 0",
      ],
      ...["    // line 1", "    ...", "", "Right:", "", "    ...", "    // line 38", "    // line 39"],
      ...["    x = ~8w1;", "    // line 0", "    // line 1", "    ..."],
    ]);
  });

  it("refuses examples that are not clear", () => {
    expect(() => catalogueOf('    example: { wrong: a.p4, right: [["x", "y"]] }\n')).toThrow(
      "occurs 2 times",
    );
    expect(() => catalogueOf('    example: { right: [["x", "y"]] }\n')).toThrow(DiagnosticError);
    expect(() => catalogueOf('    example: { wrong: a.p4, text: a, right: [["a", "y"]] }\n')).toThrow(
      DiagnosticError,
    );
    expect(() => catalogueOf("    exmple: {}\n")).toThrow(DiagnosticError);
  });

  it("is a page in which no cell ends early", () => {
    const page = errorsPage(catalogueOf(""));
    expect(page).toContain("## P403xx: Names\n\nSee [the page](a.md).\n\n| code |");
    expect(page).toContain("| P40306 | a `\\|` of two types | cast one |\n");
  });
});

describe("p4loom explain", () => {
  const groups = installedCatalogue();

  it("understands a code as it is typed", () => {
    expect(["p40301", "40301", "P403", "403xx", "P403xx", "nonsense"].map(normalCode)).toEqual([
      ...["P40301", "P40301", "P403", "P403", "P403", "NONSENSE"],
    ]);
  });

  it("names the nearest code", () => {
    expect(
      ["P40371", "P40361", "P49999", "P4035", "PX0301"].map((code) => nearestCode(groups, code)),
    ).toEqual([...["P40370", "P40360", expect.any(String), expect.stringMatching(/^P4\d{4}$/), "P40301"]]);
    expect(nearestCode(groups, "nonsense")).toBeUndefined();
  });

  function printed(codes: string[], json = false): string {
    const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
    try {
      expect(explain(codes, { json })).toBe(0);
      return write.mock.calls.map(([text]) => String(text)).join("");
    } finally {
      write.mockRestore();
    }
  }

  it("prints a code, a group, all groups; each as JSON too", () => {
    expect(printed(["40305"])).toMatch(
      /^P40305 \(Names and types\)\n\nA value of the wrong type\.\n\nWhat to do: /,
    );
    expect(printed(["P403"])).toMatch(/^P403xx: Names and types\n\nP40301 {2}A name/);
    const all = printed([]);
    expect(all.trim().split("\n").length).toBe(groups.length + 2);
    const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
    expect(all).toContain(`\n${count} codes. `);
    expect(JSON.parse(printed(["P40305"], true))).toMatchObject({ code: "P40305", group: "P403" });
    expect(JSON.parse(printed(["P40305", "P403"], true))).toHaveLength(2);
    expect(JSON.parse(printed([], true))).toHaveLength(groups.length);
  });

  it("refuses a code that there is not", () => {
    expect(() => explain(["P40399"], {})).toThrow("there is no diagnostic P40399; the nearest is P40370");
    expect(() => explain(["\u001b[31m"], {})).toThrow(DiagnosticError);
  });
});
