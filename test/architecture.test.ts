/** The import rules of ARCHITECTURE.md, read from its own table, so that page and code cannot drift apart. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

/** Room -> rooms it may import, in the order of the table (low rooms first). */
function readRules(): Map<string, Set<string>> {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z0-9/]+)\/` \|.*\| ([^|]+) \|$/gm)];
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

  it("keeps clock, file system and unseeded randomness out of all rooms but cli, testbed, interfaces and experiment", () => {
    const outside = new Set(["cli", "testbed", "interfaces", "experiment"]);
    const broken: string[] = [];
    for (const file of files) {
      if (outside.has(roomOf(file))) continue;
      const text = readFileSync(file, "utf8");
      if (/\bMath\.random\(|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/.test(text))
        broken.push(`${relative(root, file)}: clock or randomness`);
      if (importsOf(text).some((name) => /^(node:)?fs(\/|$)/.test(name)))
        broken.push(`${relative(root, file)}: file system`);
    }
    expect(broken).toEqual([]);
  });

  it("keeps the rooms that run in a browser free of Node built-ins", () => {
    const broken = files.filter(
      (file) =>
        ["base", "hash", "program", "p4", "switch", "control"].includes(roomOf(file)) &&
        importsOf(readFileSync(file, "utf8")).some((name) => name.startsWith("node:")),
    );
    expect(broken).toEqual([]);
  });

  it("keeps gRPC in p4runtime", () => {
    const broken = files.filter(
      (file) =>
        roomOf(file) !== "p4runtime" && importsOf(readFileSync(file, "utf8")).includes("@grpc/grpc-js"),
    );
    expect(broken).toEqual([]);
  });
});
