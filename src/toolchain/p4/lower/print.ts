/** The lowered program as P4 text, for `--dump`. Names of variables are those of the passes. */
import type {
  EntryKey,
  Expr,
  ExternInstance,
  IrAction,
  IrControl,
  IrMethod,
  IrParser,
  IrProgram,
  IrState,
  IrTable,
  IrType,
  StateTarget,
  Stmt,
  StmtOf,
} from "./ir.js";
import { controlsOf, parsersOf } from "./ir.js";
import { statesOfParser } from "./walk.js";

export function printProgram(program: IrProgram): string {
  const lines: string[] = [];
  for (const local of program.locals) lines.push(`${printType(local.type)} ${local.name};`);
  for (const parser of parsersOf(program)) lines.push("", ...printParser(parser));
  for (const control of controlsOf(program)) lines.push("", ...printControl(control));
  return `${lines.join("\n")}\n`;
}

function printParser(parser: IrParser): string[] {
  return [
    `parser ${parser.name} {`,
    ...indent([...parser.instances.flatMap(printInstance), ...statesOfParser(parser).flatMap(printState)]),
    "}",
  ];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `    ${line}`));
}

function printType(type: IrType): string {
  switch (type.kind) {
    case "bits":
      return `${type.signed ? "int" : "bit"}<${type.width}>`;
    case "varbits":
      return `varbit<${type.width}>`;
    case "stack":
      return `${printType(type.element)}[${type.size}]`;
    case "struct":
    case "header":
    case "union":
    case "enum":
      return type.name === "" ? "struct" : type.name;
    default:
      return type.kind;
  }
}

function printState(state: IrState): string[] {
  const lines = [`state ${state.name} {`, ...indent(printBody(state.body))];
  const next = state.next;
  if (next.kind === "goto") lines.push(`    transition ${printTarget(next.target)};`);
  else {
    lines.push(`    transition select(${next.keys.map(printExpr).join(", ")}) {`);
    for (const one of next.cases) {
      const label = Array.isArray(one.patterns)
        ? `(${one.patterns.map(printPattern).join(", ")})`
        : one.patterns.name;
      lines.push(`        ${label}: ${printTarget(one.target)};`);
    }
    lines.push("    }");
  }
  lines.push("}");
  return lines;
}

function printTarget(target: StateTarget): string {
  return typeof target === "string" ? target : target.name;
}

function printPattern(pattern: EntryKey): string {
  switch (pattern.kind) {
    case "exact":
      return `0x${pattern.value.toString(16)}`;
    case "mask":
      return `0x${pattern.value.toString(16)} &&& 0x${pattern.mask.toString(16)}`;
    case "range":
      return `0x${pattern.low.toString(16)} .. 0x${pattern.high.toString(16)}`;
    case "any":
      return "_";
  }
}

function printControl(control: IrControl): string[] {
  const lines = [`control ${control.name} {`];
  for (const instance of control.instances) lines.push(...indent(printInstance(instance)));
  for (const action of control.actions) lines.push(...indent(printAction(action)));
  for (const table of control.tables) lines.push(...indent(printTable(table)));
  lines.push("    apply {", ...indent(indent(printBody(control.body))), "    }", "}");
  return lines;
}

function printInstance({ name, extern, args, methods }: ExternInstance): string[] {
  const head = `@name("${name}") ${extern}(${args.map(printExpr).join(", ")})`;
  if (methods.length === 0) return [`${head};`];
  return [`${head} {`, ...indent(methods.flatMap(printMethod)), "}"];
}

function printMethod({ name, params, body }: IrMethod): string[] {
  const list = params.map(({ variable }) => `${printType(variable.type)} ${variable.name}`);
  return block(`${name}(${list.join(", ")})`, body);
}

function printAction(action: IrAction): string[] {
  const params = action.params.map((param) => `${printType(param.variable.type)} ${param.variable.name}`);
  const hidden = action.hidden ? "@hidden " : "";
  return [
    `${hidden}@name("${action.name}") action (${params.join(", ")}) {`,
    ...indent(printBody(action.body)),
    "}",
  ];
}

function printTable(table: IrTable): string[] {
  const lines = [`@name("${table.name}") table {`];
  if (table.keys.length > 0) {
    lines.push("    key = {");
    for (const key of table.keys)
      lines.push(`        ${printExpr(key.expression)}: ${key.matchKind} @name("${key.name}");`);
    lines.push("    }");
  }
  lines.push(`    actions = { ${table.actions.map((ref) => ref.action.name).join("; ")} }`);
  const { action, args, isConst } = table.defaultAction;
  lines.push(
    `    ${isConst ? "const " : ""}default_action = ${action.name}(${args.map(printExpr).join(", ")});`,
  );
  if (table.entries !== undefined) {
    lines.push(`    ${table.entries.isConst ? "const " : ""}entries = {`);
    for (const entry of table.entries.list)
      lines.push(
        `        (${entry.keys.map(printPattern).join(", ")}): ${entry.action.action.name}(${entry.action.args.map(printExpr).join(", ")});`,
      );
    lines.push("    }");
  }
  lines.push("}");
  return lines;
}

function printBody(body: readonly Stmt[]): string[] {
  return body.flatMap(printStmt);
}

function block(head: string, body: readonly Stmt[]): string[] {
  return [`${head} {`, ...indent(printBody(body)), "}"];
}

function printStmt(stmt: Stmt): string[] {
  switch (stmt.kind) {
    case "assign":
      return [`${printExpr(stmt.left)} = ${printExpr(stmt.right)};`];
    case "validity":
      return [`${printExpr(stmt.header)}.${stmt.valid ? "setValid" : "setInvalid"}();`];
    case "shift":
      return [`${printExpr(stmt.stack)}.${stmt.op}_front(${stmt.count});`];
    case "extern": {
      const [object, method] = stmt.name.includes(".") ? stmt.name.split(".") : [undefined, stmt.name];
      const callee = object === undefined ? method : `${stmt.instance?.name}.${method}`;
      const result = stmt.result === undefined ? "" : `${printExpr(stmt.result)} = `;
      return [`${result}${callee}(${stmt.args.map(printExpr).join(", ")});`];
    }
    case "digest":
      return [`digest<${stmt.name}>(${printExpr(stmt.receiver)}, ${printExpr(stmt.data)});`];
    case "block":
      return block(printHead(stmt), stmt.body);
    case "leave":
      return [`/* to the end of ${stmt.label.name} */ return;`];
    case "if": {
      const lines = block(`if (${printExpr(stmt.condition)})`, stmt.whenTrue);
      return stmt.whenFalse.length === 0
        ? lines
        : [...lines.slice(0, -1), ...block("} else", stmt.whenFalse)];
    }
    case "switch": {
      const lines = [`switch (${printExpr(stmt.subject)}) {`];
      for (const one of stmt.cases) {
        const labels = one.values === undefined ? ["default"] : one.values.map(printExpr);
        for (const label of labels.slice(0, -1)) lines.push(`    ${label}:`);
        lines.push(...indent(block(`${labels.at(-1)}:`, one.body)));
      }
      return [...lines, "}"];
    }
    case "loop":
      return block(`for (; ${printExpr(stmt.condition)}; ${printBody(stmt.update).join(" ")})`, stmt.body);
    case "apply":
      return printApply(stmt);
    case "action":
      return stmt.action.hidden
        ? [`${stmt.action.name}();`]
        : block(`/* ${stmt.action.name} */`, stmt.action.body);
    case "exit":
      return ["exit;"];
    case "extract":
      return [
        `extract(${printExpr(stmt.header)}${stmt.size === undefined ? "" : `, ${printExpr(stmt.size)}`});`,
      ];
    case "advance":
      return [`advance(${printExpr(stmt.size)});`];
    case "verify":
      return [`verify(${printExpr(stmt.condition)}, ${printExpr(stmt.error)});`];
    case "emit":
      return [`emit(${printExpr(stmt.header)});`];
  }
}

function printHead({ label, annotations }: StmtOf<"block">): string {
  const names = (annotations ?? []).map(({ name }) => `@${name}`);
  return [...names, ...(label === undefined ? [] : [`/* ${label.name} */`])].join(" ");
}

function printApply(stmt: Extract<Stmt, { kind: "apply" }>): string[] {
  const apply = `${stmt.table.name}.apply()`;
  const branches = stmt.branches;
  if (branches === undefined) return [`${apply};`];
  if (branches.kind === "hit")
    return [...block(`if (${apply}.hit)`, branches.hit).slice(0, -1), ...block("} else", branches.miss)];
  const lines = [`switch (${apply}.action_run) {`];
  for (const one of branches.cases) {
    const labels = one.actions.map((action) => action.name);
    for (const label of labels.slice(0, -1)) lines.push(`    ${label}:`);
    lines.push(...indent(block(`${labels.at(-1)}:`, one.body)));
  }
  return [...lines, ...indent(block("default:", branches.otherwise)), "}"];
}

export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case "number":
      return `${expr.type.width}${expr.type.signed ? "s" : "w"}${expr.value}`;
    case "bool":
      return String(expr.value);
    case "member":
      return `${expr.type.kind === "enum" ? expr.type.name : "error"}.${expr.name}`;
    case "string":
      return JSON.stringify(expr.value);
    case "instance":
      return expr.instance.name;
    case "variable":
      return expr.variable.name;
    case "field":
      return `${printExpr(expr.base)}.${expr.name}`;
    case "element":
      return `${printExpr(expr.base)}[${printExpr(expr.index)}]`;
    case "stackProperty":
      return `${printExpr(expr.base)}.${expr.property}`;
    case "slice":
      return `${printExpr(expr.operand)}[${expr.high}:${expr.low}]`;
    case "unary":
      return `${expr.op}${printExpr(expr.operand)}`;
    case "binary":
      return `(${printExpr(expr.left)} ${expr.op} ${printExpr(expr.right)})`;
    case "conditional":
      return `(${printExpr(expr.condition)} ? ${printExpr(expr.whenTrue)} : ${printExpr(expr.whenFalse)})`;
    case "cast":
      return `(${printType(expr.type)}) ${printExpr(expr.operand)}`;
    case "valid":
      return `${printExpr(expr.header)}.isValid()`;
    case "aggregate":
      return `{ ${expr.elements.map(printExpr).join(", ")} }`;
    case "invalid":
      return "{#}";
    case "lookahead":
      return `lookahead<${printType(expr.type)}>()${expr.offset === 0 ? "" : ` /* ${expr.offset} bits ahead */`}`;
  }
}
