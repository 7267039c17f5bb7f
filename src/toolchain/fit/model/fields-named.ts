/** The fields of a gress that a pragma names. */
import type { FitModel, Gress } from "./model.js";

/** The fields of a name, or of a header: with the program's own names of parameters. */
export function fieldsNamed(
  { fields: all, parser }: Pick<FitModel, "fields" | "parser">,
  gress: Gress,
  name: string,
): string[] {
  const wanted = name.replace(/^(ingress|egress)::/, "");
  const isCalled = (full: string) => plain(full) === wanted || plain(full).endsWith(`.${wanted}`);
  const here = [...all.values()].filter(
    (info) => !info.name.endsWith("$") && (info.metadata || parser.isIn(gress, info.header)),
  );
  const fields = here.filter((info) => isCalled(info.name));
  const ofHeaders =
    fields.length > 0 ? fields : here.filter((info) => !info.metadata && isCalled(info.header));
  return ofHeaders.map((info) => info.name);
}

/** A name without what makes it unique in the JSON. */
const plain = (full: string): string => full.replace(/^scalars\./, "").replace(/^(\w+?)_\d+\./, "$1.");
