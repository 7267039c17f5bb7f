/** Findings in SARIF 2.1.0, as code hosts show them beside the lines. */
import type { Diagnostic } from "../../base/index.js";
import type { Advice } from "../explain.js";
import type { FitResult } from "../fit.js";
import { verdictLine } from "./text.js";

const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

export function toSarif(
  result: FitResult,
  over: readonly string[],
  advice: readonly Advice[],
  version: string,
): object {
  const findings = [
    ...result.diagnostics.map(fromDiagnostic),
    ...(result.verdict === "placed" || result.verdict === "refused"
      ? []
      : [
          {
            ruleId: "verdict",
            level: "error",
            message: { text: verdictLine(result) },
            locations: fileOf(result),
          },
        ]),
    ...over.map((text) => ({
      ruleId: "budget",
      level: "error",
      message: { text },
      locations: fileOf(result),
    })),
    ...advice.map((item) => ({
      ruleId: `advice-${item.kind}`,
      level: "note",
      message: { text: `${item.message} (${item.stages} stages)` },
      locations:
        item.source === undefined
          ? fileOf(result)
          : [location(item.source.filename, item.source.line, item.source.column + 1)],
    })),
  ];
  const rules = [...new Set(findings.map((finding) => finding.ruleId))].sort().map((id) => ({ id }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "p4loom fit", version, informationUri: "https://p4.org", rules } },
        results: findings,
      },
    ],
  };
}

function location(uri: string, startLine: number, startColumn: number): object {
  return { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } };
}

function fileOf(result: FitResult): object[] {
  const source = result.model.units.find((unit) => unit.source !== undefined)?.source;
  return source === undefined ? [] : [location(source.filename, 1, 1)];
}

function fromDiagnostic(diagnostic: Diagnostic) {
  const { span } = diagnostic;
  const notes = diagnostic.notes.map((note) => note.message);
  const locations: object[] = [];
  if (span !== undefined) {
    const { line, column } = span.file.position(span.start);
    locations.push(location(span.file.path, line, column));
  }
  return {
    ruleId: diagnostic.code,
    level: LEVELS[diagnostic.severity],
    message: { text: [diagnostic.message, ...notes].join(". ") },
    locations,
  };
}
