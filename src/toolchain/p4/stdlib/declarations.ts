/** Which library file a program has to include for a name: for the note of a name that is not declared. */
import { sources } from "./sources.js";

/** The files that programs include, each with the files whose declarations it brings, its own architecture's file first. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  "core.p4": ["core.p4"],
  "v1model.p4": ["v1model.p4"],
  "psa.p4": ["psa.p4"],
  "pna.p4": ["pna.p4"],
  "tna.p4": [
    "tofino1_arch.p4",
    "tofino1_base.p4",
    "tofino1_specs.p4",
    "tofino_types.p4",
    "tofino_shared.p4",
    "tofino_selection.p4",
  ],
  "t2na.p4": [
    "tofino2_arch.p4",
    "tofino2_base.p4",
    "tofino2_specs.p4",
    "tofino_types.p4",
    "tofino_shared.p4",
    "tofino_selection.p4",
  ],
};

/** The name that the beginning of a declaration declares, up to its body or its semicolon; undefined where it has none. */
function nameOf(head: string): string | undefined {
  const text = head.replace(/@\w+(\[[^\]]*\]|\([^)]*\))?/g, " ").trim();
  const named =
    /^(?:header|struct|header_union|parser|control|package|action)\s+(\w+)|^enum\s+(?:bit\s*<[^>]*>\s+)?(\w+)/;
  const found = named.exec(text);
  if (found !== null) return found[1] ?? found[2];
  if (/^(typedef|type)\b/.test(text)) return /(\w+)$/.exec(text)?.[1];
  if (/^const\b/.test(text)) return /(\w+)\s*=/.exec(text)?.[1];
  // A function, with its type in front of its name, or an object with methods.
  return /(\w+)\s*(?:<[^<>]*>\s*)?\(/.exec(text)?.[1] ?? /^extern\s+(\w+)/.exec(text)?.[1];
}

/** The names of all declarations of a library file, those in bodies left out. */
function declaredIn(file: string): Set<string> {
  const text = sources[file]!.replace(/\/\*[\s\S]*?\*\/|\/\/.*|^\s*#.*$/gm, "");
  const names = new Set<string>();
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char !== "{" && char !== "}" && char !== ";") continue;
    if (depth === 0 && char !== "}") {
      const name = nameOf(text.slice(start, at));
      if (name !== undefined) names.add(name);
    }
    if (char === "{") depth++;
    if (char === "}") depth--;
    start = at + 1;
  }
  return names;
}

let declared: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** All names that a program sees that includes the file, those of `core.p4` only there; each file is read once. */
function namesOf(): ReadonlyMap<string, ReadonlySet<string>> {
  declared ??= new Map(
    Object.entries(INCLUDED).map(([name, files]) => [
      name,
      new Set(files.flatMap((file) => [...declaredIn(file)])),
    ]),
  );
  return declared;
}

/**
 * Library files that declare a name, in the order in which programs are likely to mean them, without those that the program includes
 * already. `present` are the paths of the files in which the program's declarations stand (`p4include/v1model.p4`).
 */
export function filesDeclaring(name: string, present: ReadonlySet<string>): string[] {
  return [...namesOf()]
    .filter(([file, names]) => names.has(name) && !present.has(`p4include/${INCLUDED[file]![0]!}`))
    .map(([file]) => file);
}
