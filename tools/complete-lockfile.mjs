/**
 * `npm run lock`: after an install from a registry that serves only this platform's packages, npm omits the optional packages
 * of other platforms from package-lock.json, and `npm ci` then rejects the file. This tool adds an entry for each of them, with
 * the version and platform that the depending package names, and without a checksum, because none is available.
 */
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "armv7", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

let added = 0;
for (const [owner, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`;
    if (owner === "" || lock.packages[place] !== undefined || lock.packages[`${owner}/${place}`] !== undefined) continue;
    const words = name.split(/[-/]/);
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) => words.includes(processor));
    if (os.length !== 1) throw new Error(`${name}: its name contains no platform; add it to package-lock.json by hand`);
    lock.packages[place] = {
      version,
      ...(cpu.length === 1 ? { cpu: [cpu[0] === "armv7" ? "arm" : cpu[0]] } : {}),
      ...(dev ? { dev: true } : {}),
      ...(/musl/.test(name) ? { libc: ["musl"] } : /gnu/.test(name) ? { libc: ["glibc"] } : {}),
      optional: true,
      os,
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} optional packages of other platforms added to package-lock.json`);
