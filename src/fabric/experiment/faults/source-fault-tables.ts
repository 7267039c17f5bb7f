/**
 * Adds fault tables to P4 source that no template made. The declarations are inserted before the `apply` of the egress control, and the
 * tables are applied at its beginning. They have the names of those in generated programs. They match ports and sizes of packets but
 * no headers. A packet that would be corrupted is dropped, because no receiver accepts it.
 */
import { defined, fail, type SourceFile } from "../../../base/index.js";
import { faultTable } from "../../../toolchain/generate/index.js";
import { CODES } from "../codes.js";

/** Position of the egress control among the arguments of V1Switch. */
const EGRESS = 3;

/**
 * The program's text with this number of fault tables; unchanged for 0. Fails with P43018 where the egress control, or the name of
 * its `standard_metadata`, is not found in the file.
 */
export function sourceWithFaultTables(file: SourceFile, tables: number): string {
  if (tables === 0) return file.text;
  const code = withoutComments(file.text);
  const args = /\bV1Switch\s*(?:<[^>]*>\s*)?\(([^;]*)\)\s*main\s*;/.exec(code)?.[1];
  const control = args === undefined ? undefined : /(\w+)\s*\(/.exec(args.split(/\)\s*,/)[EGRESS] ?? "")?.[1];
  const head =
    control === undefined ? null : new RegExp(`\\bcontrol\\s+${control}\\s*\\(([^)]*)\\)\\s*\\{`).exec(code);
  const metadata = head?.[1] === undefined ? undefined : /standard_metadata_t\s+(\w+)/.exec(head[1])?.[1];
  const apply = head === null ? null : applyOf(code, head.index + head[0].length);
  if (metadata === undefined || apply === null)
    fail(
      CODES.faultOnTestbed,
      { file, start: 0, end: 1 },
      "faults on real switches need the egress control of V1Switch in this file",
      "write it in the file of the program, with a parameter of type standard_metadata_t",
    );
  const indexes = Array.from({ length: tables }, (_, i) => i);
  const declarations = [actions(metadata), ...indexes.map((i) => table(metadata, i))].join("");
  const statements = indexes.map((i) => application(metadata, i)).join("");
  const { text } = file;
  return `${text.slice(0, apply.keyword)}${declarations}    ${text.slice(apply.keyword, apply.body)}\n${statements}${text.slice(apply.body)}`;
}

/** The same text with spaces in place of comments and strings, so that positions do not change. */
function withoutComments(text: string): string {
  const blank = (part: string) => part.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, blank);
}

/** Finds the `apply` of the control whose body begins at `from`: the positions of the word and of its body. */
function applyOf(code: string, from: number): { keyword: number; body: number } | null {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if (code[at] === "{") depth++;
    else if (code[at] === "}" && --depth < 0) return null;
    const found = depth === 0 ? /^apply\s*\{/.exec(code.slice(at, at + 40)) : null;
    if (found !== null && !/\w/.test(defined(code[at - 1])))
      return { keyword: at, body: at + found[0].length };
  }
  return null;
}

function actions(metadata: string): string {
  return `@name(".FabricEgress.lose") action p4loom_lose() {
        mark_to_drop(${metadata});
        exit;
    }
    bit<33> p4loom_below;
    bit<32> p4loom_draw;
    @name(".FabricEgress.impair") action p4loom_impair(bit<33> loss_below, bit<33> corruption_below) {
        p4loom_below = loss_below |+| corruption_below;
    }
`;
}

function table(metadata: string, index: number): string {
  return `    @name(".${faultTable(index)}") table p4loom_faults_${index} {
        key = {
            ${metadata}.ingress_port : ternary @name("standard_metadata.ingress_port");
            ${metadata}.egress_port : ternary @name("standard_metadata.egress_port");
            ${metadata}.packet_length : range @name("standard_metadata.packet_length");
        }
        actions = {
            p4loom_lose;
            p4loom_impair;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 1024;
    }
`;
}

function application(metadata: string, index: number): string {
  return `        p4loom_below = 0;
        p4loom_faults_${index}.apply();
        if (p4loom_below != 0) {
            random(p4loom_draw, 0, 0xffffffff);
            if ((bit<33>)p4loom_draw < p4loom_below) {
                mark_to_drop(${metadata});
                exit;
            }
        }
`;
}
