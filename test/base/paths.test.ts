/** Paths without a file system behave as those of node:path/posix, where it has the same function. */
import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folderOfPath, isWithin, nameOfPath, pathIn } from "../../src/base/index.js";

const names = fc.array(fc.constantFrom("a", "b.p4", "..", ".", "x y", "json"), {
  minLength: 1,
  maxLength: 6,
});
const relativePath = names.map((parts) => parts.join("/"));
const absolutePath = relativePath.map((path) => `/${path}`);

describe("paths", () => {
  it("are joined as posix.resolve does below an absolute folder", () => {
    fc.assert(
      fc.property(absolutePath, fc.oneof(relativePath, absolutePath), (folder, path) => {
        expect(pathIn(folder, path)).toBe(posix.resolve(folder, path));
      }),
    );
  });

  it("keep the way above a relative folder, and begin at the empty path", () => {
    fc.assert(
      fc.property(relativePath, relativePath, (folder, path) => {
        const joined = posix.join(folder, path).replace(/\/$/, "");
        expect(pathIn(folder, path)).toBe(joined === "." ? "" : joined);
      }),
    );
    expect([pathIn("", "./a//b"), pathIn("a", "../.."), pathIn("", "/a")]).toEqual(["a/b", "..", "/a"]);
  });

  it("have a folder and a name", () => {
    expect(["/a/b", "/a", "/", "a/b", "a", ""].map(folderOfPath)).toEqual(["/a", "/", "/", "a", "", ""]);
    fc.assert(
      fc.property(relativePath, (path) => {
        expect(nameOfPath(path, ".p4")).toBe(
          path
            .split("/")
            .at(-1)!
            .replace(/(?<=.)\.p4$/, ""),
        );
      }),
    );
  });

  it("lie in a folder exactly when no step leads out of it", () => {
    fc.assert(
      fc.property(fc.constantFrom("/a", "/"), relativePath, (folder, path) => {
        const whole = pathIn(folder, path);
        expect(isWithin(folder, whole)).toBe(!posix.relative(folder, whole).startsWith(".."));
      }),
    );
    const outside = ["../a", "..", "/a"].map((path) => isWithin("", pathIn("", path)));
    expect([...outside, isWithin("/a", "/ab"), isWithin("", "..a")]).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});
