/** The line above each table: the stages of a chip that it would use, and its resources there. */

import type { Span } from "../../base/index.js";
import { defined } from "../../base/index.js";
import {
  type FitDocument,
  fitProgram,
  onePipe,
  pipesOf,
  summaryLine,
  type TableReport,
  type Target,
  toJson,
} from "../fit/index.js";
import type { ast } from "../p4/index.js";
import type { P4Document } from "./document.js";
import { sourceOf, spanAsRead } from "./spans.js";

export interface Lens {
  /** The name of the table, or of the switch instance for the whole program. */
  readonly span: Span;
  readonly text: string;
}

/** The architecture whose chips take the program; undefined for v1model, which all chips take, and for a program that does not compile. */
export function chipArchitecture(document: P4Document): string | undefined {
  return document.hardwareProgram?.bmv2.architecture?.name;
}

/** Places the whole program on the target, which takes longer than other requests. Empty if the program does not compile. */
export function lenses(document: P4Document, target: Target): Lens[] {
  const program = document.hardwareProgram;
  if (program === undefined) return [];
  const ofProgram = (text: string): Lens[] => {
    const { main } = document.analysis.checked;
    return main !== undefined && sourceOf(main.name.span.file) === document.file
      ? [{ span: spanAsRead(main.name.span), text }]
      : [];
  };
  const own = chipArchitecture(document);
  if (own !== undefined && own !== target.architecture)
    return ofProgram(
      `${target.name} does not take ${own}: name a target that does in the settings of the editor`,
    );
  const pipes = pipesOf(program);
  // A program of v1model has one pipe without a name.
  const fitted =
    pipes.length === 0
      ? [fitProgram(program, target)]
      : pipes.map((pipe) => fitProgram(onePipe(program, pipe), target));
  return fitted.flatMap((result, i) =>
    [...ofTables(document, toJson(result)), ...ofProgram(summaryLine(result))].map(({ span, text }) => ({
      span,
      text: pipes.length > 1 ? `${pipes[i]}: ${text}` : text,
    })),
  );
}

function ofTables(document: P4Document, fitted: FitDocument): Lens[] {
  const found: Lens[] = [];
  for (const table of tablesOf(document)) {
    const { line } = table.name.span.file.position(table.name.span.start);
    const parts = fitted.tables.filter(
      ({ source, match_kind }) =>
        match_kind !== "gateway" && source?.line === line && source.file === table.name.span.file.path,
    );
    if (parts.length > 0) found.push({ span: spanAsRead(table.name.span), text: textOf(parts) });
    else {
      const unplaced = fitted.unplaced.find(({ table: name }) => name.endsWith(`.${table.name.name}`));
      if (unplaced !== undefined)
        found.push({ span: spanAsRead(table.name.span), text: `fits no stage: ${unplaced.detail}` });
    }
  }
  return found;
}

/** Tables declared in the document itself. */
function tablesOf(document: P4Document): ast.TableDeclaration[] {
  return document.unit.declarations.flatMap((declaration) => {
    if (declaration.kind !== "control" || sourceOf(declaration.span.file) !== document.file) return [];
    return (declaration.body?.locals ?? []).filter((local) => local.kind === "table");
  });
}

function textOf(parts: readonly TableReport[]): string {
  // stages count from 0, as in the reports and tools of the chips
  const stages = [...new Set(parts.map(({ stage }) => stage))].sort((a, b) => a - b);
  const [first, last] = [defined(stages[0]), defined(stages.at(-1))];
  const place = first === last ? `stage ${first}` : `stages ${first} to ${last}`;
  const sum = (pick: (part: TableReport) => number) => parts.reduce((total, part) => total + pick(part), 0);
  const blocks = [
    [sum(({ srams }) => srams), "SRAM"],
    [sum(({ tcams }) => tcams), "TCAM"],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, kind]) => `${count} ${kind}`);
  return [place, ...blocks].join(", ");
}
