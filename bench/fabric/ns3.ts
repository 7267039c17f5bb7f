/**
 * Programs for ns-3, an independent simulator, that measure the same networks as we do: C++ files in `bench/ns3`, compiled
 * where ns-3's headers are installed (Debian: libns3-dev 3.37, and a C++ compiler). See bench/fabric/ns3/README.md.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HEADERS = "/usr/include/ns3";
const LIBRARIES = ["core", "network", "internet", "point-to-point", "applications", "traffic-control"];

/** A compiled program: flags as `--name=value`, and one JSON document on its standard output. */
export interface Ns3Program {
  /** @throws Error with the program's own message when it fails */
  run(flags: Readonly<Record<string, string | number>>): unknown;
}

/** Why ns-3's programs cannot be compiled here; undefined when they can. */
export function ns3Missing(): string | undefined {
  if (!existsSync(join(HEADERS, "core-module.h"))) return "ns-3 is not installed (Debian: libns3-dev)";
  const compiler = spawnSync("c++", ["--version"]);
  return compiler.status === 0 ? undefined : "there is no C++ compiler (c++)";
}

/**
 * Compiles `bench/fabric/ns3/NAME.cc` into a temporary folder; takes some seconds. To be called when {@link ns3Missing} finds nothing.
 *
 * @throws Error with the compiler's messages
 */
export function compileNs3(name: string): Ns3Program {
  const program = join(mkdtempSync(join(tmpdir(), "p4loom-ns3-")), name);
  const source = join(import.meta.dirname, "ns3", `${name}.cc`);
  const libraries = LIBRARIES.map((library) => `-lns3-${library}`);
  const compiled = spawnSync("c++", ["-O2", "-std=c++17", "-o", program, source, ...libraries], {
    encoding: "utf8",
  });
  if (compiled.status !== 0) throw new Error(`${source} does not compile:\n${compiled.stderr}`);
  return {
    run(flags) {
      const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
      const ran = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28 });
      if (ran.status !== 0)
        throw new Error(`${name} ${words.join(" ")} ended with ${ran.status ?? ran.signal}: ${ran.stderr}`);
      return JSON.parse(ran.stdout);
    },
  };
}
