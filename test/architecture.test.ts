/** The import rules of ARCHITECTURE.md and of the wings' pages, read from their own tables, so that pages and code cannot drift apart. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

/** Wing -> wings whose rooms its rooms may import, besides `base` and its own. */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  toolchain: [],
  fabric: ["toolchain"],
  course: ["toolchain", "fabric"],
};

interface Room {
  /** Its folder below `src`. */
  readonly path: string;
  readonly may: ReadonlySet<string> | "everything";
  /** The files to open first. */
  readonly first: readonly string[];
}

const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const wingPage = (wing: string) => readFileSync(join(src, wing, "README.md"), "utf8");

/** The rows `| `room/` | is | may import | open first |` of a page. Names without a wing are rooms of any wing. */
function roomsOf(text: string, wing: string): Room[] {
  return [...text.matchAll(/^\| `([a-z0-9/-]+)\/` \| .+ \| ([^|`]+) \| (`[^|]+) \|$/gm)].map((row) => ({
    path: wing === "" ? row[1]! : `${wing}/${row[1]!}`,
    may:
      row[2] === "everything"
        ? "everything"
        : new Set(row[2] === "nothing of ours" ? [] : row[2]!.split(",").map((name) => name.trim())),
    first: [...row[3]!.matchAll(/`([^`]+)`/g)].map((file) => file[1]!),
  }));
}

/** The lowest first. */
const rooms = [...roomsOf(page, ""), ...Object.keys(WINGS).flatMap((wing) => roomsOf(wingPage(wing), wing))];

/** The name that the tables use: without the wing. */
const nameOf = ({ path }: Room) => (wingOf(path) === "" ? path : path.slice(path.indexOf("/") + 1));

function wingOf(path: string): string {
  const wing = path.slice(0, path.indexOf("/"));
  return wing in WINGS ? wing : "";
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function roomOf(file: string): Room {
  const path = relative(src, file).replaceAll("\\", "/");
  const found = rooms
    .filter((room) => path.startsWith(`${room.path}/`))
    .sort((x, y) => y.path.length - x.path.length)[0];
  if (found === undefined)
    throw new Error(`${path} is in no room of ARCHITECTURE.md and the pages of the wings`);
  return found;
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]!);
}

/** The compiler's functions call each other as the grammar's rules do: an expression has types, and a type expressions. */
const RECURSIVE = ["toolchain/p4/syntax/", "toolchain/p4/types/", "toolchain/p4/lower/elaborate/"];

/** The strongly connected components with more than one module (Tarjan 1972). */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, low.get(target)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return circles;
}

describe("architecture", () => {
  const files = sourceFiles(src);

  it("knows every room", () => {
    expect(rooms.length).toBeGreaterThan(30);
    expect(new Set(rooms.map(nameOf)).size).toBe(rooms.length);
    for (const file of files) roomOf(file);
  });

  it("has three wings beside base, the public interface and the command, and rooms in them alone", () => {
    const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(
      ["api", "base", "cli", ...Object.keys(WINGS)].sort(),
    );
    for (const wing of Object.keys(WINGS))
      expect(
        readdirSync(join(src, wing)).filter((name) => name.endsWith(".ts")),
        wing,
      ).toEqual([]);
  });

  it("describes rooms, first files, schemes, topologies and commands that exist", () => {
    const built = page.slice(0, page.indexOf("## Not built yet"));
    for (const room of rooms) {
      expect(
        existsSync(join(src, room.path, "index.ts")) || ["api", "cli"].includes(room.path),
        room.path,
      ).toBe(true);
      expect(room.first.length, room.path).toBeGreaterThan(0);
      for (const file of room.first) expect(existsSync(join(src, room.path, file)), file).toBe(true);
    }

    const folders = readdirSync(join(src, "fabric/schemes"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const schemes = /one folder a system: `([^`]+)`/.exec(wingPage("fabric"))![1]!.split(" ");
    expect(folders.map(({ name }) => name).sort()).toEqual(schemes.sort());

    const kinds = [
      ...readFileSync(join(src, "fabric/topology/spec.ts"), "utf8").matchAll(/kind: z\.literal\("(\w+)"\)/g),
    ];
    const row = wingPage("fabric")
      .split("\n")
      .find((line) => line.startsWith("| `topology/` | topologies"))!;
    for (const [, kind] of kinds) expect(row).toContain(`\`${kind}\``);

    const paragraph = built.slice(built.indexOf("Beside src/")).split("\n\n")[0]!;
    const beside = [...paragraph.matchAll(/`([a-z]+)\/` \(/g)].map((match) => match[1]!);
    expect(beside.length).toBeGreaterThan(5);
    for (const folder of beside) expect(existsSync(join(root, folder)), folder).toBe(true);

    const defined = files
      .filter((file) => roomOf(file).path === "cli")
      .flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/\.command\("([a-z]+)"(?!, \{ hidden)/g)].map(
          (match) => match[1]!,
        ),
      );
    const commands = readFileSync(join(src, "cli/README.md"), "utf8");
    const listed = [...commands.matchAll(/\bp4loom ([a-z]+)\b(?= [A-Z[]| {2,}|$)/gm)].map(
      (match) => match[1]!,
    );
    expect([...new Set(listed)].sort()).toEqual([...new Set(defined)].sort());
  });

  it("lets imports run downwards only: through the doors of the wings, and each room's index.ts", () => {
    const broken: string[] = [];
    for (const file of files) {
      const room = roomOf(file);
      for (const target of importsOf(readFileSync(file, "utf8"))) {
        if (!target.startsWith(".")) continue;
        const resolved = resolve(dirname(file), target.replace(/\.js$/, ".ts"));
        const other = roomOf(resolved);
        if (other === room) continue;
        const place = `${relative(root, file)} -> ${target}`;
        const [from, to] = [wingOf(room.path), wingOf(other.path)];
        if (room.may !== "everything" && from !== to && to !== "" && !WINGS[from]?.includes(to))
          broken.push(`${place}: no door from ${from} to ${to}`);
        if (room.may !== "everything" && !room.may.has(nameOf(other)))
          broken.push(`${place}: ${room.path} may not import ${other.path}`);
        else if (relative(join(src, other.path), resolved) !== "index.ts")
          broken.push(`${place}: not through index.ts`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("has floors: no room imports one that stands above it in its table", () => {
    const above = rooms.flatMap((room, floor) =>
      room.may === "everything"
        ? []
        : [...room.may]
            .filter((name) => rooms.findIndex((other) => nameOf(other) === name) >= floor)
            .map((name) => `${room.path}: ${name}`),
    );
    expect(above).toEqual([]);
  });

  it("has no row of a table that permits what no file does", () => {
    const used = new Set(
      files.flatMap((file) =>
        importsOf(readFileSync(file, "utf8"))
          .filter((target) => target.startsWith("."))
          .map(
            (target) =>
              `${roomOf(file).path} ${nameOf(roomOf(resolve(dirname(file), target.replace(/\.js$/, ".ts"))))}`,
          ),
      ),
    );
    const unused = rooms.flatMap(({ path, may }) =>
      may === "everything"
        ? []
        : [...may].filter((name) => !used.has(`${path} ${name}`)).map((name) => `${path}: ${name}`),
    );
    expect(unused).toEqual([]);
  });

  it("has no circles of modules, but where functions follow the recursion of the grammar", () => {
    const imports = new Map(
      files.map((file) => [
        file,
        importsOf(readFileSync(file, "utf8"))
          .filter((target) => target.startsWith("."))
          .map((target) => resolve(dirname(file), target.replace(/\.js$/, ".ts"))),
      ]),
    );
    const circles = circlesOf(imports).map((circle) => circle.map((file) => relative(src, file)));
    expect(
      circles.filter(
        (circle) => !circle.every((file) => RECURSIVE.some((folder) => file.startsWith(folder))),
      ),
    ).toEqual([]);
    // The number may only shrink.
    expect(circles.length).toBeLessThanOrEqual(6);
  });

  it("keeps the compiler's core free of architectures: each is a folder", () => {
    const core = /^toolchain\/p4\/(syntax|types|lower|emit)\//;
    const folder = join(src, "toolchain/p4/architectures");
    const broken = files
      .filter((file) => core.test(relative(src, file).replaceAll("\\", "/")))
      .flatMap((file) =>
        importsOf(readFileSync(file, "utf8"))
          .filter((target) => target.startsWith(".") && resolve(dirname(file), target).startsWith(folder))
          .map((target) => `${relative(root, file)} -> ${target}`),
      );
    expect(broken).toEqual([]);
    const architectures = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
    const registry = readFileSync(join(folder, "registry.ts"), "utf8");
    for (const { name } of architectures) expect(registry).toContain(`./${name}/architecture.js`);
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
      "exercise-network",
    ]);
    /** Rooms that measure no time but limit how long they wait for a remote machine. */
    const timers = new Set(["p4runtime"]);
    const broken: string[] = [];
    for (const file of files) {
      const room = nameOf(roomOf(file));
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
    const process = ["daemon", "interfaces", "language-server", "loading", "p4runtime"];
    const broken = files.filter((file) => {
      const room = roomOf(file);
      const runs =
        wingOf(room.path) === "toolchain"
          ? !process.includes(nameOf(room))
          : ["base", "base/packets", "exercises", "lab"].includes(nameOf(room));
      return runs && importsOf(readFileSync(file, "utf8")).some((name) => name.startsWith("node:"));
    });
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

  it("defines numbers of protocols in base/packets alone", () => {
    const broken = files
      // P4 programs and the notation of exercises have numbers of their own.
      .filter((file) => !/^(base\/packets|toolchain\/p4)\//.test(relative(src, file)))
      .flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => !/^\s*(\*|\/)/.test(line))
          .filter((line) =>
            /\b0x(0800|800|0806|8100|88a8|86dd)\b|\b(IP)?PROTO(COL)?_\w+ = \d|\b(ECT_0|CE|FLAG_\w+) = /.test(
              line,
            ),
          )
          .map((line) => `${relative(root, file)}: ${line.trim()}`),
      );
    expect(broken).toEqual([]);
  });

  it("knows positions and lengths of headers in base/packets alone", () => {
    // A field by its position, the place of an Ethernet type, and the length of a header under its name.
    const field = /\b(?:frame|packet|bytes)\[(?:(?:ip|tcp|udp|icmp|transport\w*|IP_AT) \+ )?\d+\](?!\s*=>)/;
    const word =
      /\b(?:get|put)(?:16|32)\((?:frame|packet|bytes), (?:\d+|(?:ip|tcp|udp|transport\w*|IP_AT|family\.length) \+ \d+)[,)]/;
    const type = /getUint16\(12\)/;
    const length =
      /\b(?:ETHERNET|IPV?[46]|TCP|UDP|ICMP|VLAN)_?\w*(?:BYTES|LENGTH|HEADER|_AT)\w* = (?:8|14|20|34|40)\b/;
    const outside = files.filter((file) =>
      /^(fabric|course|toolchain\/(daemon|interfaces|stf|trace))\//.test(relative(src, file)),
    );
    expect(outside.length).toBeGreaterThan(300);
    const broken = outside.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => !/^\s*(\*|\/)/.test(line))
        .filter((line) => [field, word, type, length].some((rule) => rule.test(line)))
        .map((line) => `${relative(root, file)}: ${line.trim()}`),
    );
    expect(broken).toEqual([]);
  });

  it("keeps gRPC in p4runtime", () => {
    const broken = files.filter(
      (file) =>
        roomOf(file).path !== "toolchain/p4runtime" &&
        importsOf(readFileSync(file, "utf8")).includes("@grpc/grpc-js"),
    );
    expect(broken).toEqual([]);
  });
});
