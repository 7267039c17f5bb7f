/** Places of values in JSON texts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceFile, spanText } from "../../../../src/base/index.js";
import { type JsonPath, jsonKeyPlace, jsonPlace } from "../../../../src/toolchain/program/index.js";

function* pathsOf(value: unknown, path: JsonPath = []): Generator<[JsonPath, unknown]> {
  yield [path, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value))
    yield* pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]);
}

describe("places in JSON", () => {
  it("are those of every value and every name", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const file = new SourceFile("x.json", ` ${JSON.stringify(value, null, indent)}\n`);
        // the text's own values: JSON has no -0
        for (const [path, found] of pathsOf(JSON.parse(file.text))) {
          expect(JSON.parse(spanText(jsonPlace(file, path)))).toEqual(found);
          if (typeof path.at(-1) === "string")
            expect(JSON.parse(spanText(jsonKeyPlace(file, path)))).toBe(path.at(-1));
        }
      }),
    );
  });

  it("are of the deepest part that there is", () => {
    const file = new SourceFile("x.json", '{"a": [1, {"b\\n": "]"}], "a b": 2}');
    const at = (...path: JsonPath): string => spanText(jsonPlace(file, path));
    expect(at("a", 1, "b\n")).toBe('"]"');
    expect(at("a", 1, "c", 3)).toBe('{"b\\n": "]"}');
    expect(at("a", 2)).toBe('[1, {"b\\n": "]"}]');
    expect(at("a", "1")).toBe('[1, {"b\\n": "]"}]');
    expect(spanText(jsonKeyPlace(file, ["a", 1, "b\n"]))).toBe('"b\\n"');
    expect(spanText(jsonKeyPlace(file, ["a", 0]))).toBe("1");
    expect(spanText(jsonKeyPlace(file, ["a b", "c"]))).toBe("2");
  });

  it("of a name that is given twice are those of the value that counts", () => {
    const text = '{"a": 1, "a": 2}';
    const file = new SourceFile("x.json", text);
    expect(spanText(jsonPlace(file, ["a"]))).toBe(String((JSON.parse(text) as { a: number }).a));
    expect(jsonKeyPlace(file, ["a"]).start).toBe(text.lastIndexOf('"a"'));
  });
});
