/** How processes with code of submissions are isolated: what this machine supports, with programs in place of its own, and the commands that follow. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  examineIsolation,
  type Isolation,
  isolated,
  limitedOnly,
} from "../../../src/course/submissions/isolation.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "p4loom-isolation-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PATH = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = PATH;
});

/** A folder of a package with the built command `dist/cli/main.js`. */
function builtCommand(name: string): string {
  const main = join(folder, name, "dist/cli/main.js");
  mkdirSync(join(folder, name, "dist/cli"), { recursive: true });
  writeFileSync(main, "");
  writeFileSync(join(folder, name, "package.json"), "{}");
  return main;
}

const main = builtCommand("package");
const ALL: Isolation = { prefix: ["unshare", "x"], namespaces: true, limits: true, permissions: true };
const NONE: Isolation = { prefix: [], namespaces: false, limits: false, permissions: false };
const LIMITS = { seconds: 10, memoryMb: 100 };

describe("an isolated command", () => {
  it("has namespaces, then limits of the kernel, then Node with its heap and its permissions", () => {
    const command = isolated(["node", main, "grader"], ALL, LIMITS, false);
    const flag = command.find((word) => /^--(experimental-)?permission$/.test(word))!;
    expect(command).toEqual([
      ...["unshare", "x"],
      // SIGXCPU at the limit and SIGKILL a second later; writable memory is the heap and 256 MB of Node; no files, no core dumps.
      ...["prlimit", "--cpu=10:11", `--data=${356 * 2 ** 20}`, "--core=0", "--fsize=0"],
      ...["node", "--max-old-space-size=100", "--no-warnings", flag],
      `--allow-fs-read=${join(folder, "package/dist")}/*`,
      `--allow-fs-read=${join(folder, "package/package.json")}`,
      ...[main, "grader"],
    ]);
  });

  it("may start processes only where it is said", () => {
    const command = isolated(["node", main, "grader"], ALL, LIMITS, true);
    expect(command.filter((word) => word === "--allow-child-process")).toHaveLength(1);
    expect(command.indexOf("--allow-child-process")).toBeLessThan(command.indexOf(main));
  });

  it("has only the limit of Node's heap where the machine supports nothing", () => {
    const bare = ["node", "--max-old-space-size=100", "--no-warnings", "main.js", "grader"];
    expect(isolated(["node", "main.js", "grader"], NONE, LIMITS, true)).toEqual(bare);
    expect(limitedOnly(["node", "main.js", "grader"], NONE, LIMITS)).toEqual(bare);
  });

  it("of a process that creates namespaces itself has limits alone, and may write logs of 16 MiB", () => {
    expect(limitedOnly(["node", main, "grader"], ALL, LIMITS)).toEqual([
      ...["prlimit", "--cpu=10:11", `--data=${356 * 2 ** 20}`, "--core=0", `--fsize=${16 * 2 ** 20}`],
      ...["node", "--max-old-space-size=100", "--no-warnings", main, "grader"],
    ]);
  });
});

describe("what a machine supports", () => {
  /** A machine with these programs alone; each call is a line of the returned text. */
  async function examine(programs: Readonly<Record<string, string>>, command = ["node", main]) {
    const bin = mkdtempSync(join(folder, "bin-"));
    const calls = join(bin, "calls.txt");
    writeFileSync(calls, "");
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${calls}\n${text}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    process.env["PATH"] = bin;
    const isolation = await examineIsolation(command);
    return { isolation, calls: readFileSync(calls, "utf8").trimEnd().split("\n") };
  }
  const RUNS = "exit 0";
  const FAILS = "exit 1";

  it("is nothing without its programs but what Node has itself, for the built command alone", async () => {
    const { isolation } = await examine({});
    expect(isolation).toEqual({ prefix: [], namespaces: false, limits: false, permissions: true });
    const sources = ["node", "--import", "tsx", "main.js"];
    expect((await examine({}, sources)).isolation.permissions).toBe(false);
    expect((await examine({}, ["node", "main.ts"])).isolation.permissions).toBe(false);
    expect((await examine({}, ["node", "main.cjs"])).isolation.permissions).toBe(true);
  });

  it("is tried with the whole command, and the strongest form that works is taken", async () => {
    const { isolation, calls } = await examine({ unshare: RUNS, prlimit: RUNS });
    expect(isolation).toMatchObject({ namespaces: true, limits: true });
    expect(calls).toHaveLength(2);
    expect(calls[0]).toBe(`unshare ${isolation.prefix.slice(1).join(" ")} node ${main} --version`);
    expect(calls[1]).toBe("prlimit --data=1073741824 --cpu=10 true");
    const [start, script] = [isolation.prefix.slice(0, -2), isolation.prefix.at(-2)!];
    expect(start.join(" ")).toBe("unshare --net --pid --fork --mount --ipc --kill-child sh -c");
    expect(script).toMatch(/^for d in \/tmp \/var\/tmp \/dev\/shm; do mount /);
    expect(script).toMatch(
      /setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs .*"\$@"; exit \$\?$/,
    );
  });

  it("is a user of its own where root's namespaces fail, and no limit where prlimit fails", async () => {
    const unshare = 'case "$1" in --user) exit 0 ;; *) exit 1 ;; esac';
    const { isolation, calls } = await examine({ unshare, prlimit: FAILS });
    expect(isolation).toMatchObject({ namespaces: true, limits: false });
    expect(isolation.prefix.slice(0, -3).join(" ")).toBe(
      "unshare --user --map-root-user --net --pid --fork --mount --ipc --kill-child sh",
    );
    // Two forms as root fail; the first one as another user works.
    expect(calls.filter((call) => call.startsWith("unshare"))).toHaveLength(3);
    expect((await examine({ unshare: FAILS })).isolation.namespaces).toBe(false);
  });

  it("is namespaces without hidden folders where these cannot be mounted", async () => {
    const unshare = 'case "$*" in *mount\\ -t*) exit 1 ;; *--user*) exit 1 ;; esac';
    const { isolation } = await examine({ unshare });
    expect(isolation.prefix).toHaveLength(11);
    expect(isolation.prefix.at(-2)).toMatch(/^setpriv .*"\$@"; exit \$\?$/);
  });
});
