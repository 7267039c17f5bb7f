/** The code cache of the command (`tools/launcher.cjs`): written at the first start, read later, and never a way into the process. */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "p4loom-cache-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function start(args: readonly string[], env: Record<string, string> = { P4LOOM_CACHE: home }): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"]!, ...env },
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

/** The only build's folder. */
function build(): string {
  const [name, ...others] = readdirSync(home);
  expect(others).toEqual([]);
  return join(home, name!);
}

it("stores a cache at the first start of a command and reads it at the second", () => {
  const first = start(["check", "p4/ecmp/tor.p4"]);
  expect(readdirSync(build())).toEqual(["check"]);
  const cache = join(build(), "check");
  const { ino, size } = statSync(cache);
  expect(size).toBeGreaterThan(100_000);
  expect(statSync(cache).mode & 0o777).toBe(0o600);
  expect(statSync(build()).mode & 0o777).toBe(0o700);
  expect(start(["check", "p4/ecmp/tor.p4"])).toBe(first);
  // A cache that V8 rejects is written anew, under another inode.
  expect(statSync(cache).ino).toBe(ino);
});

it("gives commands without a cache of their own the one of all others", () => {
  start(["--version"]);
  start(["man"]);
  expect(readdirSync(build())).toEqual(["any"]);
});

it("replaces a cache that is damaged or empty", () => {
  const right = start(["--version"]);
  const cache = join(build(), "any");
  const size = statSync(cache).size;
  for (const damaged of [Buffer.alloc(0), Buffer.alloc(size), readFileSync(cache).subarray(0, 5_000)]) {
    writeFileSync(cache, damaged);
    expect(start(["--version"])).toBe(right);
    expect(statSync(cache).size).toBeGreaterThan(100_000);
  }
});

it("neither reads nor writes where others can write", () => {
  const right = start(["--version"]);
  const cache = join(build(), "any");
  writeFileSync(cache, "not of this user alone");
  chmodSync(build(), 0o777);
  expect(start(["--version"])).toBe(right);
  expect(readFileSync(cache, "utf8")).toBe("not of this user alone");
  chmodSync(build(), 0o700);
  chmodSync(cache, 0o666);
  expect(start(["--version"])).toBe(right);
  // The folder is this user's again, so that the cache is replaced by one that nobody else can write.
  expect(statSync(cache).mode & 0o777).toBe(0o600);
});

it("follows no link, neither as the folder nor as a cache", () => {
  const right = start(["--version"]);
  const folder = build();
  const elsewhere = join(home, "elsewhere");
  const cache = join(folder, "any");
  writeFileSync(elsewhere, "untouched");
  rmSync(cache);
  symlinkSync(elsewhere, cache);
  expect(start(["--version"])).toBe(right);
  expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  rmSync(folder, { recursive: true });
  rmSync(elsewhere);
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, folder);
  expect(start(["--version"])).toBe(right);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it("keeps none where none is wanted or possible", () => {
  start(["--version"], { P4LOOM_CACHE: "off", HOME: home });
  start(["--version"], {});
  writeFileSync(join(home, "file"), "");
  start(["--version"], { P4LOOM_CACHE: join(home, "file") });
  expect(readdirSync(home)).toEqual(["file"]);
});

it("keeps none at a relative path, which would lead into the present folder", () => {
  const folder = join(home, "present");
  const own = join(home, "home");
  mkdirSync(folder);
  for (const [name, value] of [
    ["P4LOOM_CACHE", "cache"],
    ["XDG_CACHE_HOME", "cache"],
    ["HOME", "."],
  ] as const) {
    const env = { PATH: process.env["PATH"]!, HOME: own, [name]: value };
    expect(spawnSync(process.execPath, [COMMAND, "--version"], { cwd: folder, env }).status).toBe(0);
  }
  expect(readdirSync(folder)).toEqual([]);
  // The desktop's rules: a relative XDG_CACHE_HOME is as none.
  expect(readdirSync(join(own, ".cache"))).toEqual(["p4loom"]);
});

it.skipIf(process.platform === "win32")(
  "ends as usual where a limit of the file size refuses the cache",
  () => {
    const env = { PATH: process.env["PATH"]!, P4LOOM_CACHE: home };
    const limited = ["-c", 'ulimit -f 10; exec "$@"', "sh", process.execPath, COMMAND, "--version"];
    const { status, signal } = spawnSync("sh", limited, { env });
    expect([status, signal]).toEqual([0, null]);
    expect(readdirSync(build())).toEqual([]);
  },
);

it("uses the folder of the desktop's rules", () => {
  start(["--version"], { XDG_CACHE_HOME: join(home, "xdg") });
  start(["--version"], { HOME: home });
  expect(readdirSync(join(home, "xdg"))).toEqual(["p4loom"]);
  expect(existsSync(join(home, ".cache/p4loom"))).toBe(true);
});

it("keeps the caches of three builds", () => {
  const old = ["0000000000000001-a", "0000000000000002-b", "0000000000000003-c", "other"];
  for (const [day, name] of old.entries()) {
    mkdirSync(join(home, name));
    utimesSync(join(home, name), day + 1, day + 1);
  }
  start(["--version"]);
  const left = readdirSync(home);
  expect(left).toHaveLength(4);
  expect(left).toEqual(expect.arrayContaining([old[1], old[2], old[3]]));
});

it("starts several times at once for the first time", async () => {
  const starts = Array.from({ length: 4 }, () => {
    const env = { PATH: process.env["PATH"]!, P4LOOM_CACHE: home };
    const child = spawn(process.execPath, [COMMAND, "--version"], { env, stdio: "ignore" });
    return new Promise((ended) => child.once("close", ended));
  });
  expect(await Promise.all(starts)).toEqual([0, 0, 0, 0]);
  expect(readdirSync(build())).toEqual(["any"]);
});
