/** Tables as CSV, written and read. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import { CsvError, csvText, isFormula, readCsv } from "../../../src/course/submissions/csv.js";

const read = (text: string) => readCsv(new SourceFile("t.csv", text)).map(({ cells }) => cells);

describe("CSV", () => {
  it("is read as it was written, whatever the cells have", () => {
    const cell = fc
      .oneof(fc.string(), fc.stringMatching(/^[a,"\r\n;=' ]{0,6}$/))
      .filter((one) => !isFormula(one));
    const row = fc.tuple(fc.constant("x"), cell, cell);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        // The first line decides about the separator.
        const table = [["a", "b", "c"], ...rows];
        expect(read(csvText(table))).toEqual(table);
      }),
    );
  });

  it("has no cell that a spreadsheet reads as a formula", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
      expect(read(csvText([[text, "x"]]))[0]![0]).toBe(`'${text}`);
  });

  it.each([
    [
      "a;b\r\n1;2\r\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a\tb\n1\t2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "\uFEFFa,b\n\n,\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      'a,b\n"x\ny","say ""so"""\n',
      [
        ["a", "b"],
        ["x\ny", 'say "so"'],
      ],
    ],
    ["", []],
  ])("%j", (text, rows) => {
    expect(read(text)).toEqual(rows);
  });

  it.each([
    ['a,b\n"x', 4, "a quoted cell does not end"],
    ['a,b\n"x"y,z', 7, "text after the end of a quoted cell"],
  ])("%j is none", (text, at, message) => {
    try {
      read(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CsvError);
      expect([(error as CsvError).message, (error as CsvError).span.start]).toEqual([message, at]);
    }
  });
});
