/** What a program compiles to, in a form that does not depend on the places of its text. */
import { Diagnostics, type SourceFile } from "../../../src/base/index.js";
import { compile, type IncludeResolver } from "../../../src/toolchain/p4/index.js";
import { writeP4InfoText } from "../../../src/toolchain/program/index.js";

/**
 * What a program compiles to, without places in the source; undefined when it does not compile. Hidden actions and their
 * tables are named by file and line: here they get numbers in the order in which they appear.
 */
export function compiledForm(
  file: SourceFile,
  resolveInclude: IncludeResolver = () => undefined,
): string | undefined {
  const result = compile({ file, resolveInclude }, new Diagnostics());
  if (result === undefined) return undefined;
  const { bmv2, p4info } = result.program;
  const shown = new Set(p4info.actions.map((action) => action.preamble?.name));
  const hidden = new Map<string, string>();
  for (const { name } of bmv2.actions)
    if (!shown.has(name) && /\d$/.test(name)) hidden.set(name, `hidden action ${hidden.size}`);
  const text = JSON.stringify(bmv2, (key, value) => (key === "source_info" ? undefined : value));
  const tables = new Map<string, string>();
  const renamed = text.replace(/"(tbl_)?(\w+?\d)(_\d+)?"/g, (whole, table, name, suffix) => {
    if (!hidden.has(name) && !hidden.has(name + (suffix ?? ""))) return whole;
    if (table === undefined) return `"${hidden.get(name + (suffix ?? "")) ?? whole}"`;
    if (!tables.has(whole)) tables.set(whole, `"hidden table ${tables.size}"`);
    return tables.get(whole)!;
  });
  return `${renamed}\n${writeP4InfoText(p4info)}`;
}
