#!/usr/bin/env node
// Starts the program in its bundle. The first start of a command stores the functions that V8 compiled (a code cache), and
// later starts of the same build take them from there. `tools/build-command.mjs` fills in BUNDLE and writes this beside it.
"use strict";
const fs = require("node:fs");
const Module = require("node:module");
const { isAbsolute, join } = require("node:path");
const { Script } = require("node:vm");

/** File of the code, the hash of its text, and the commands that have a cache of their own (`any` is for all others). */
const BUNDLE = { code: "", hash: "", commands: [""] };

/** Caches of this many builds are kept. A build has up to 30 MB of them. */
const KEPT_BUILDS = 3;
const MOST_BYTES = 64 << 20;

const file = join(__dirname, BUNDLE.code);
const command = BUNDLE.commands.includes(process.argv[2]) ? process.argv[2] : "any";

/**
 * The user's folder of caches: P4LOOM_CACHE, or below XDG_CACHE_HOME, ~/.cache or %LOCALAPPDATA%; undefined: keep none
 * (P4LOOM_CACHE=off, or no home). A relative path does not count: it would lead into the present folder, where a cache may have come
 * with files of others, such as those of an archive, which belong to the user who unpacked it.
 */
function cacheHome() {
  const { P4LOOM_CACHE: named, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local, HOME: home } = process.env;
  if (named) return isAbsolute(named) ? named : undefined;
  const usual = process.platform === "win32" ? local : home && join(home, ".cache");
  const folder = xdg && isAbsolute(xdg) ? xdg : usual;
  return folder && isAbsolute(folder) ? join(folder, "p4loom") : undefined;
}

/** A code cache is code: only what this user alone can write is read, and no link is followed. */
function isOwn(stats) {
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
}

/** The folder of this build's caches on this version of V8 with its flags and this processor. */
function cacheFolder() {
  const home = cacheHome();
  if (home === undefined) return undefined;
  return join(home, `${BUNDLE.hash}-${require("node:v8").cachedDataVersionTag().toString(16)}`);
}

function readCache(folder) {
  const stats = fs.lstatSync(folder);
  if (!stats.isDirectory() || !isOwn(stats)) return undefined;
  const handle = fs.openSync(join(folder, command), fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    const of = fs.fstatSync(handle);
    return of.isFile() && isOwn(of) && of.size <= MOST_BYTES ? fs.readFileSync(handle) : undefined;
  } finally {
    fs.closeSync(handle);
  }
}

/** Writes a cache as a whole or not at all, also when several processes start for the first time together. */
function writeCache(folder, data) {
  if (fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) removeOldBuilds(join(folder, ".."));
  const stats = fs.lstatSync(folder);
  if (!stats.isDirectory() || !isOwn(stats)) return;
  const part = join(folder, `${command}.${process.pid}.part`);
  const handle = fs.openSync(part, "wx", 0o600);
  try {
    try {
      fs.writeFileSync(handle, data);
      // A machine that stops now must not leave a file of zeros under the name.
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(part, join(folder, command));
  } catch (error) {
    fs.rmSync(part, { force: true });
    throw error;
  }
}

function removeOldBuilds(home) {
  const builds = fs
    .readdirSync(home)
    .filter((name) => /^[0-9a-f]{16}-[0-9a-f]+$/.test(name))
    .map((name) => ({ path: join(home, name), time: fs.lstatSync(join(home, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of builds.slice(KEPT_BUILDS)) fs.rmSync(path, { recursive: true, force: true });
}

/** Without a cache, or without the right to write one, a start is slower and nothing else. */
function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

// import() does not work in a script with a cache: modules of users are imported here.
globalThis[Symbol.for("p4loom.import")] = (url) => import(url);

const folder = cacheFolder();
const cachedData = folder === undefined ? undefined : attempt(() => readCache(folder));
const script = new Script(Module.wrap(fs.readFileSync(file, "latin1")), {
  filename: file,
  ...(cachedData === undefined ? {} : { cachedData }),
});
if (folder !== undefined && (cachedData === undefined || script.cachedDataRejected)) {
  process.on("exit", () => attempt(() => writeCache(folder, script.createCachedData())));
}
const main = { exports: {} };
script.runInThisContext()(main.exports, Module.createRequire(file), main, file, __dirname);
