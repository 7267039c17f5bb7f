/** Which submissions are found: folders, files, archives; and the reasons why files are left out. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics } from "../../../src/base/index.js";
import { findSubmissions } from "../../../src/course/submissions/find.js";
import { NotRead, ZipArchive } from "../../../src/course/submissions/zip.js";
import { type WrittenFile, zipOf } from "./zip-writer.js";

const work = mkdtempSync(join(tmpdir(), "p4loom-find-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
let folders = 0;

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(work, String(folders++));
  mkdirSync(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

function find(path: string, handsIn: readonly string[] = ["a.p4"]) {
  const diagnostics = new Diagnostics();
  const found = findSubmissions(path, handsIn, diagnostics);
  return {
    found: Object.fromEntries(found.map(({ name, files }) => [name, Object.fromEntries(files)])),
    warnings: diagnostics.list.map(({ code, message }) => `${code} ${message.replace(path, "DIR")}`),
  };
}

const zip = (...files: (readonly [path: string, content: string | Uint8Array])[]) =>
  zipOf(files.map(([path, content]) => ({ path, content })));

describe("submissions", () => {
  it("are folders, archives and single files, also inside an archive", () => {
    const files = {
      "ann/a.p4": "ann",
      "ann/notes.txt": "x",
      "bob.p4": "bob",
      "cid.zip": zip(["a.p4", "cid"]),
      "dora.ZIP": zip(["__MACOSX/a.p4", "x"], ["exercise 1/", ""], ["exercise 1/a.p4", "dora"]),
      "eve_123_assignsubmission_file_/work.zip": zip(["deep/er/a.p4", "eve"]),
      ".DS_Store": "x",
    };
    const expected = {
      ann: { "a.p4": "ann" },
      bob: { "a.p4": "bob" },
      cid: { "a.p4": "cid" },
      dora: { "a.p4": "dora" },
      eve_123_assignsubmission_file_: { "a.p4": "eve" },
    };
    expect(find(folderOf(files))).toEqual({ found: expected, warnings: [] });
    const whole = join(folderOf({}), "all.zip");
    writeFileSync(whole, zip(...Object.entries(files)));
    expect(find(whole)).toEqual({ found: expected, warnings: [] });
  });

  it("may have several files, some in folders of their own", () => {
    const folder = folderOf({ "ann.zip": zip(["top/a.p4", "1"], ["top/sub/b.txt", "2"]), "bob.p4": "x" });
    expect(find(folder, ["a.p4", "sub/b.txt"])).toEqual({
      found: { ann: { "a.p4": "1", "sub/b.txt": "2" } },
      warnings: ["P46311 DIR/bob.p4: neither a folder nor an archive with a.p4, sub/b.txt; left out"],
    });
  });

  it("of the same name are distinguished", () => {
    const { found } = find(folderOf({ "ann/a.p4": "1", "ann.p4": "2", "ann.zip": zip(["a.p4", "3"]) }));
    expect(found).toEqual({ ann: { "a.p4": "1" }, "ann.p4": { "a.p4": "2" }, "ann.zip": { "a.p4": "3" } });
  });

  it("are archives that the program zip of this machine writes", (context) => {
    const folder = folderOf({ "work/a.p4": "p4\n".repeat(10_000), "work/empty.txt": "" });
    const { error } = spawnSync("zip", ["-qr", "ann.zip", "work"], { cwd: folder });
    if (error !== undefined) context.skip("there is no zip here");
    rmSync(join(folder, "work"), { recursive: true });
    expect(find(folder).found).toEqual({ ann: { "a.p4": "p4\n".repeat(10_000) } });
  });
});

describe("an archive", () => {
  const big = "0".repeat((1 << 20) + 1);
  const rows: [what: string, archive: readonly WrittenFile[] | Uint8Array, why: RegExp][] = [
    ["that is none", Buffer.from("a.p4"), /ann\.zip: not a ZIP archive; it is not read/],
    ["that is empty", Buffer.alloc(0), /not a ZIP archive/],
    ["that ends early", zip(["a.p4", "1"]).subarray(0, -1), /not a ZIP archive/],
    ["with a path out of it", [{ path: "../a.p4" }], /its path "\.\.\/a\.p4" leads out of the archive/],
    ["with a path out of a folder", [{ path: "x/../../a.p4" }], /leads out of the archive/],
    ["with an absolute path", [{ path: "/a.p4" }], /leads out of the archive/],
    ["with a path of Windows", [{ path: "..\\a.p4" }], /leads out of the archive/],
    ["with a drive", [{ path: "C:a.p4" }], /leads out of the archive/],
    [
      "with a name twice",
      [{ path: "a.p4" }, { path: "a.p4", content: "2" }],
      /two entries have the name a\.p4/,
    ],
    ["with a link", [{ path: "a.p4", content: "/etc/passwd", mode: 0o120777 }], /a\.p4: a symbolic link/],
    ["with a folder in place of a file", [{ path: "a.p4/" }], /a\.p4: not a file/],
    ["with a long file", [{ path: "a.p4", content: big }], /1048577 bytes; the maximum is 1048576/],
    [
      "with a file that is longer than it says",
      [{ path: "a.p4", content: big, says: { size: 9 } }],
      /more than 1048576 bytes/,
    ],
    ["with another length", [{ path: "a.p4", content: "123", says: { size: 2 } }], /damaged: wrong checksum/],
    [
      "with another checksum",
      [{ path: "a.p4", content: "123", says: { crc: 1 } }],
      /damaged: wrong checksum/,
    ],
    [
      "with a file elsewhere",
      [{ path: "a.p4", says: { offset: 3 } }],
      /directory gives a wrong place for it/,
    ],
    ["with a password", [{ path: "a.p4", flags: 1 }], /a\.p4: encrypted/],
    ["packed otherwise", [{ path: "a.p4", method: 12 }], /compression method 12/],
    ["with bytes that are no text", [{ path: "a.p4", content: Buffer.from([0xff]) }], /not UTF-8 text/],
  ];

  it.each(rows)("%s is reported, and the others are graded", (_, archive, why) => {
    const bytes = archive instanceof Uint8Array ? archive : zipOf(archive);
    const { found, warnings } = find(folderOf({ "ann.zip": bytes, "bob.p4": "bob" }));
    expect(found["bob"]).toEqual({ "a.p4": "bob" });
    expect(found["ann"] ?? {}).toEqual({});
    expect(warnings).toEqual([expect.stringMatching(why)]);
  });

  it("in endlessly nested archives is read for three levels", () => {
    let inner = zip(["a.p4", "1"]);
    const levels = Array.from({ length: 5 }, () => {
      inner = zip(["next.zip", inner]);
      return inner;
    });
    expect(find(folderOf({ "ann.zip": levels[1]! })).found).toEqual({ ann: { "a.p4": "1" } });
    expect(find(folderOf({ "ann.zip": levels[4]! })).found).toEqual({ ann: {} });
  });

  it("behind a link is not read", () => {
    const folder = folderOf({ "elsewhere/ann.zip": zip(["a.p4", "1"]), "in/bob.p4": "bob" });
    symlinkSync(join(folder, "elsewhere/ann.zip"), join(folder, "in/ann.zip"));
    const { found, warnings } = find(join(folder, "in"));
    expect(Object.keys(found)).toEqual(["bob"]);
    expect(warnings).toEqual([expect.stringMatching(/ann\.zip: neither a folder nor an archive/)]);
  });

  it("in a folder that is a link out of the submission is not read", () => {
    const folder = folderOf({ "elsewhere/a.p4": "of another", "in/ann/b.txt": "x" });
    symlinkSync(join(folder, "elsewhere"), join(folder, "in/ann/sub"));
    const { found, warnings } = find(join(folder, "in"), ["sub/a.p4"]);
    expect(JSON.stringify(found)).not.toContain("of another");
    expect(warnings.join("\n")).toMatch(/sub\/a\.p4: it is outside the submission/);
  });

  it.each([
    ["nowhere.zip", /there is no such file/],
    ["none.zip", /not a ZIP archive/],
    ["empty.zip", /there is no submission/],
  ])("as --submissions %s is an error", (name, message) => {
    const folder = folderOf({ "none.zip": "none", "empty.zip": zipOf([]) });
    expect(() => find(join(folder, name))).toThrow(DiagnosticError);
    expect(() => find(join(folder, name))).toThrow(message);
  });

  it("name what was not read, also where nothing else is there", () => {
    const folder = folderOf({ "in/ann.txt": "no archive" });
    expect(() => find(join(folder, "in"))).toThrow(
      /warning\[P46311\]: .*ann\.txt: neither a folder.*error\[P46310\]: .*there is no submission/s,
    );
  });

  it("stay in the list where the whole archive is refused, with the reason", () => {
    const folder = folderOf({
      "in/ann.zip": "no archive",
      "in/bob.zip": zip(["../a.p4", "out"]),
      "in/cid.p4": "cid",
    });
    const diagnostics = new Diagnostics();
    const found = findSubmissions(join(folder, "in"), ["a.p4"], diagnostics);
    expect(found.map(({ name }) => name)).toEqual(["ann", "bob", "cid"]);
    expect(found.map(({ refused }) => refused !== undefined)).toEqual([true, true, false]);
    expect(found[0]!.refused).toMatch(/not a ZIP archive/);
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P46311", "P46311"]);
  });

  it("name a file that differs from a missing one in upper and lower case only", () => {
    const folder = folderOf({ "in/ann/A.p4": "1", "in/bob/a.p4": "2" });
    const [ann, bob] = findSubmissions(join(folder, "in"), ["a.p4"], new Diagnostics());
    expect([...ann!.similar!]).toEqual([["a.p4", "A.p4"]]);
    expect(bob!.similar).toBeUndefined();
  });

  it("returns the files that were written, with any comment, and throws only NotRead after changes of its bytes", () => {
    const files = fc.uniqueArray(
      fc.record({
        path: fc.stringMatching(/^[a-z]{1,5}(\/[a-z]{1,5}){0,2}\.p4$/),
        content: fc.uint8Array({ maxLength: 300 }),
        method: fc.constantFrom(0, 8),
      }),
      { minLength: 1, maxLength: 5, selector: ({ path }) => path },
    );
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(files, fc.stringMatching(/^[ -~]{0,30}$/), flips, (list, comment, changes) => {
        const bytes = zipOf(list, comment);
        const archive = new ZipArchive(bytes);
        expect([...archive.entries()].map(([path]) => path)).toEqual(list.map(({ path }) => path));
        for (const { path, content } of list)
          expect(Uint8Array.from(archive.read(path, 1000)!)).toEqual(content);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        try {
          const changed = new ZipArchive(bytes);
          for (const [path] of changed.entries()) changed.read(path, 1000);
        } catch (error) {
          expect(error).toBeInstanceOf(NotRead);
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
