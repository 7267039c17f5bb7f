/**
 * The worked patches of CONTRIBUTING.md, `test/contributing/*.patch`: each applies to a copy of the tree, passes the tests that it names, and
 * its commands print what it says; one that no command shows has tests alone. There is one for each row of "What is added, and where" in ARCHITECTURE.md.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "test/contributing");
/** Those that change data alone first, so that the command is built once for them. */
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".patch"))
  .map((name) => name.slice(0, -".patch".length))
  .sort((x, y) => Number(changesCode(x)) - Number(changesCode(y)));

interface Patch {
  readonly path: string;
  /** Paths of the files that it adds or changes. */
  readonly files: readonly string[];
  readonly tests: readonly string[];
  readonly commands: { readonly words: readonly string[]; exit: number; readonly prints: string[] }[];
}

/** The head of a patch, before its first file, says what is to be run: lines `Tests:`, `Command:`, `Exit:` and `Prints:`. */
function patchNamed(name: string): Patch {
  const path = join(folder, `${name}.patch`);
  const text = readFileSync(path, "utf8");
  const head = text.slice(0, text.indexOf("diff --git"));
  const commands: Patch["commands"] = [];
  let tests: readonly string[] = [];
  for (const [, key, value] of head.matchAll(/^(Tests|Command|Exit|Prints): (.+)$/gm)) {
    if (key === "Tests") tests = value!.split(" ");
    else if (key === "Command") commands.push({ words: value!.split(" ").slice(1), exit: 0, prints: [] });
    else if (key === "Exit") commands.at(-1)!.exit = Number(value);
    else commands.at(-1)!.prints.push(value!);
  }
  const files = [...text.matchAll(/^diff --git a\/\S+ b\/(\S+)$/gm)].map((match) => match[1]!);
  return { path, files, tests, commands };
}

function changesCode(name: string): boolean {
  return patchNamed(name).files.some((path) => path.startsWith("src/"));
}

/** The copy of the tree, without what git ignores. */
const copy = mkdtempSync(join(tmpdir(), "p4loom-contributing-"));

function run(program: string, ...args: readonly string[]): { status: number | null; output: string } {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(VITEST|P4LOOM)/.test(key)),
  );
  // Where the copy lies in a git repository by chance, `git apply` must not take its root for that of the paths.
  env["GIT_CEILING_DIRECTORIES"] = dirname(copy);
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: copy, encoding: "utf8", env });
  return { status, output: `${stdout}${stderr}` };
}

const apply = (...args: readonly string[]) =>
  expect(run("git", "apply", ...args)).toEqual({ status: 0, output: "" });

beforeAll(() => {
  // Processes of submissions run as another user, who reads the code, too.
  chmodSync(copy, 0o755);
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  expect(listed.status, listed.stderr).toBe(0);
  for (const path of listed.stdout.split("\0")) {
    if (path === "" || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The rows of ARCHITECTURE.md: what somebody adds, and the paths that it touches. What is in parentheses need not be there. */
function rows(): [name: string, touched: string[]][] {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const section = page.slice(page.indexOf("## What is added, and where")).split("\n## ")[0]!;
  return [...section.matchAll(/^\| an? (.+?) \| (.+) \|$/gm)].map(([, name, touches]) => [
    name!.replaceAll(" ", "-"),
    [...touches!.replaceAll(/\([^)]*\)/g, "").matchAll(/`([^`]+)`/g)].map((path) => path[1]!),
  ]);
}

/** Builds and tests of a copy: on a busy machine they take minutes. */
const PATIENCE = { timeout: 1_200_000 };

describe("the worked patches", PATIENCE, () => {
  it("are one for each row of ARCHITECTURE.md's table, and touch what it says", () => {
    const named = new Map(rows());
    expect([...named.keys()].sort()).toEqual([...names].sort());
    for (const name of names) {
      const touched = named.get(name)!;
      const { files } = patchNamed(name);
      for (const path of touched) {
        const pattern = new RegExp(
          `^${path.replaceAll(".", "\\.").replaceAll("NAME", "[^/]+").replaceAll("ROOM", ".+")}(/|$)`,
        );
        expect(
          files.filter((file) => pattern.test(file)),
          `${name}: ${path}`,
        ).not.toEqual([]);
      }
    }
  });

  it("are named in CONTRIBUTING.md", () => {
    const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
    for (const name of names) expect(page).toContain(`(test/contributing/${name}.patch)`);
  });

  it("have no errors of types together", () => {
    const paths = names.map((name) => patchNamed(name).path);
    apply(...paths);
    const files = names.flatMap((name) => patchNamed(name).files).filter((path) => path.endsWith(".ts"));
    const config = join(copy, "tsconfig.contributing.json");
    writeFileSync(config, JSON.stringify({ extends: "./tsconfig.json", include: [], files }));
    const types = run(process.execPath, "node_modules/typescript/bin/tsc", "--noEmit", "-p", config);
    rmSync(config);
    apply("-R", ...paths.toReversed());
    expect(types).toEqual({ status: 0, output: "" });
  });
});

describe.each(names)("%s", PATIENCE, (name) => {
  const { path, tests, commands } = patchNamed(name);
  beforeAll(() => apply(path));
  afterAll(() => apply("-R", path));

  it.runIf(tests.length > 0)(`passes ${tests.join(" and ")}`, () => {
    const vitest = "node_modules/vitest/vitest.mjs";
    const { status, output } = run(process.execPath, vitest, "run", "--maxWorkers=1", ...tests);
    expect(status, output).toBe(0);
  });

  it("names tests or commands", () => expect(tests.length + commands.length).toBeGreaterThan(0));

  it.runIf(commands.length > 0)("works", () => {
    const built = run(process.execPath, "tools/build-command.mjs", "--if-stale");
    expect(built.status, built.output).toBe(0);
    for (const { words, exit, prints } of commands) {
      const { status, output } = run(process.execPath, "dist/cli/main.js", ...words);
      expect(status, `p4loom ${words.join(" ")}\n${output}`).toBe(exit);
      for (const text of prints) expect(output).toContain(text);
    }
  });
});
