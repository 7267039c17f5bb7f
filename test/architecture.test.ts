/** The import rules of ARCHITECTURE.md, read from its own table, so that page and code cannot drift apart. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

/** Room -> rooms it may import, in the order of the table (low rooms first). */
function readRules(): Map<string, Set<string>> {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z0-9/-]+)\/` \|.+\| ([^|`]+) \|$/gm)];
  const rooms = rows.map((row) => row[1]!);
  const rules = new Map<string, Set<string>>();
  for (const [index, row] of rows.entries()) {
    const may = row[2]!.trim();
    if (may === "nothing of ours") rules.set(rooms[index]!, new Set());
    else if (may === "everything below" || may === "everything")
      rules.set(rooms[index]!, new Set(rooms.slice(0, index)));
    else rules.set(rooms[index]!, new Set(may.split(",").map((name) => name.trim())));
  }
  return rules;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const rules = readRules();

function roomOf(file: string): string {
  const path = relative(src, file).replaceAll("\\", "/");
  const room = [...rules.keys()]
    .filter((name) => path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (room === undefined) throw new Error(`${path} is in no room of ARCHITECTURE.md`);
  return room;
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]!);
}

describe("architecture", () => {
  const files = sourceFiles(src);

  it("knows every room", () => {
    expect(rules.size).toBeGreaterThan(10);
    for (const file of files) roomOf(file);
  });

  it("describes rooms, first files, schemes, topologies and commands that exist", () => {
    const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const built = page.slice(0, page.indexOf("## Not built yet"));
    for (const room of rules.keys())
      expect(existsSync(join(src, room, "index.ts")) || room === "cli", room).toBe(true);

    const firsts = [...built.matchAll(/^\| `([a-z0-9/-]+)\/` \| (`[^|]+) \|$/gm)];
    expect(firsts.map((row) => row[1]).sort()).toEqual([...rules.keys()].sort());
    for (const [, room, files] of firsts)
      for (const [, file] of files!.matchAll(/`([^`]+)`/g))
        expect(existsSync(join(src, room!, file!)), file).toBe(true);

    const folders = readdirSync(join(src, "schemes"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const schemes = /one folder a system: `([^`]+)`/.exec(built)![1]!.split(" ");
    expect(folders.map(({ name }) => name).sort()).toEqual(schemes.sort());

    const kinds = [
      ...readFileSync(join(src, "topology/spec.ts"), "utf8").matchAll(/kind: z\.literal\("(\w+)"\)/g),
    ];
    const row = built.split("\n").find((line) => line.startsWith("| `topology/` | topologies"))!;
    for (const [, kind] of kinds) expect(row).toContain(`\`${kind}\``);

    const paragraph = built.slice(built.indexOf("Beside src/")).split("\n\n")[0]!;
    const beside = [...paragraph.matchAll(/`([a-z]+)\/` \(/g)].map((match) => match[1]!);
    expect(beside.length).toBeGreaterThan(5);
    for (const folder of beside) expect(existsSync(join(root, folder)), folder).toBe(true);

    const defined = files
      .filter((file) => roomOf(file) === "cli")
      .flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/\.command\("([a-z]+)"(?!, \{ hidden)/g)].map(
          (match) => match[1]!,
        ),
      );
    const listed = [...built.matchAll(/\bp4loom ([a-z]+)\b(?= [A-Z[]| {2,}|$)/gm)].map((match) => match[1]!);
    expect([...new Set(listed)].sort()).toEqual([...new Set(defined)].sort());
  });

  it("lets imports run downwards only, through index.ts", () => {
    const broken: string[] = [];
    for (const file of files) {
      const room = roomOf(file);
      for (const target of importsOf(readFileSync(file, "utf8"))) {
        if (!target.startsWith(".")) continue;
        const resolved = resolve(dirname(file), target.replace(/\.js$/, ".ts"));
        const other = roomOf(resolved);
        if (other === room) continue;
        const place = `${relative(root, file)} -> ${target}`;
        if (!rules.get(room)!.has(other)) broken.push(`${place}: ${room} may not import ${other}`);
        else if (relative(join(src, other), resolved) !== "index.ts")
          broken.push(`${place}: not through index.ts`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("keeps clock, timers, file system and unseeded randomness to the rooms that may touch them", () => {
    const outside = new Set([
      "cli",
      "testbed",
      "host-agent",
      "daemon",
      "loading",
      "language-server",
      "own-schemes",
      "submissions",
      "interfaces",
      "experiment",
      "lab-server",
    ]);
    /** Rooms that measure no time but limit how long they wait for a remote machine. */
    const timers = new Set(["p4runtime"]);
    const broken: string[] = [];
    for (const file of files) {
      const room = roomOf(file);
      if (outside.has(room)) continue;
      const place = relative(root, file);
      const text = readFileSync(file, "utf8");
      const modules = importsOf(text).map((name) => name.replace(/^node:/, "").split("/")[0]!);
      if (/\bMath\.random\(|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.hrtime\b/.test(text))
        broken.push(`${place}: clock or randomness`);
      if (/\bcrypto\.(getRandomValues|randomUUID)\b/.test(text) || modules.includes("crypto"))
        broken.push(`${place}: randomness`);
      if (/\bset(Timeout|Interval|Immediate)\(/.test(text) || modules.includes("timers"))
        if (!timers.has(room)) broken.push(`${place}: timer`);
      if (modules.includes("fs")) broken.push(`${place}: file system`);
    }
    expect(broken).toEqual([]);
  });

  it("keeps the rooms that run in a browser free of Node built-ins", () => {
    const broken = files.filter(
      (file) =>
        [
          "base",
          "hash",
          "program",
          "device",
          "p4",
          "editing",
          "switch",
          "control",
          "trace",
          "exercises",
          "lab",
        ].includes(roomOf(file)) &&
        importsOf(readFileSync(file, "utf8")).some((name) => name.startsWith("node:")),
    );
    expect(broken).toEqual([]);
  });

  it("keeps the second models free of the code that they check", () => {
    const folder = join(root, "test/models");
    const models = sourceFiles(folder);
    expect(models.length).toBeGreaterThan(10);
    const foreign = models.flatMap((file) =>
      importsOf(readFileSync(file, "utf8"))
        .filter((target) =>
          target.startsWith(".")
            ? relative(folder, resolve(dirname(file), target)).startsWith("..")
            : !["vitest", "fast-check"].includes(target),
        )
        .map((target) => `${relative(root, file)} -> ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  it("keeps gRPC in p4runtime", () => {
    const broken = files.filter(
      (file) =>
        roomOf(file) !== "p4runtime" && importsOf(readFileSync(file, "utf8")).includes("@grpc/grpc-js"),
    );
    expect(broken).toEqual([]);
  });
});
