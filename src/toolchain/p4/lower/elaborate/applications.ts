/**
 * Controls that are applied in several places. A table, or a method of an instance, exists once: where the arguments differ between the
 * places, the parameter needs storage of its own, to which each place copies.
 */
import type {
  Declaration,
  Expression,
  InstanceDeclaration,
  Parameter,
  SourceUnit,
  Statement,
} from "../../syntax/ast.js";
import type { BoundArguments } from "../../types/index.js";

/** The parameters whose arguments differ between the applications of a control's instance. */
export function differingParameters(
  applications: ReadonlyMap<InstanceDeclaration, readonly BoundArguments[]>,
  declaration: InstanceDeclaration,
): ReadonlySet<Parameter> {
  const [first, ...others] = applications.get(declaration) ?? [];
  const differing = first?.params.filter((_, index) =>
    others.some((other) => !isSameArgument(first.args[index]?.value, other.args[index]?.value)),
  );
  return new Set(differing);
}

/** Whether two arguments have the same text and begin with the same variable: locals of two blocks may share a name. */
function isSameArgument(one: Expression | undefined, other: Expression | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return textOf(one) === textOf(other) && variableOf(one) === variableOf(other);
}

function textOf({ span }: Expression): string {
  return span.file.text.slice(span.start, span.end);
}

/** The declaration of the variable of which an argument is a part. */
function variableOf(e: Expression): Declaration | undefined {
  if (e.kind === "path") return e.declaration;
  return e.kind === "member" || e.kind === "index" || e.kind === "slice" ? variableOf(e.base) : undefined;
}

/** The applications of each instance of a control that the text of the program has. */
export function applicationsOf(unit: SourceUnit): Map<InstanceDeclaration, BoundArguments[]> {
  const found = new Map<InstanceDeclaration, BoundArguments[]>();
  const visit = (statement: Statement): void => {
    switch (statement.kind) {
      case "callStatement": {
        const { resolved } = statement.call;
        if (resolved?.kind !== "controlApply" || resolved.object.kind !== "path") return;
        const { declaration } = resolved.object;
        if (declaration?.kind === "instance")
          found.set(declaration, [...(found.get(declaration) ?? []), resolved]);
        return;
      }
      case "block":
        statement.statements.forEach(visit);
        return;
      case "if":
        visit(statement.whenTrue);
        if (statement.whenFalse !== undefined) visit(statement.whenFalse);
        return;
      case "switch":
        for (const { body } of statement.cases) if (body !== undefined) visit(body);
        return;
      case "for":
      case "forIn":
        visit(statement.body);
        return;
      default:
        return;
    }
  };
  for (const one of unit.declarations)
    if (one.kind === "control" && one.body !== undefined) visit(one.body.apply);
  return found;
}
