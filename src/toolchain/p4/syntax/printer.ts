/** A syntax tree as P4 text: `parse(print(tree))` is the same tree, except for spans and for what the checker added. */
import type {
  ActionRef,
  Annotation,
  ControlDeclaration,
  Declaration,
  EnumMember,
  FunctionDeclaration,
  InstanceDeclaration,
  Parameter,
  ParserDeclaration,
  SourceUnit,
  Statement,
  TableDeclaration,
  TableProperty,
  Transition,
  TypeParameter,
} from "./ast.js";
import {
  printAnnotation,
  printArguments,
  printExpression,
  printKeySet,
  printType,
} from "./print-expression.js";

const INDENT = "    ";

/** A whole program, one declaration after the other, includes and macros expanded. */
export function printUnit(unit: SourceUnit): string {
  const printer = new Printer();
  for (const declaration of unit.declarations) printer.declaration(declaration);
  return printer.text;
}

class Printer {
  text = "";
  #indent = "";

  line(text: string): void {
    this.text += `${this.#indent}${text}\n`;
  }

  /** `head {`, what `body` prints, `}` and `tail`. */
  block(head: string, body: () => void, tail = ""): void {
    this.line(head === "" ? "{" : `${head} {`);
    const outer = this.#indent;
    this.#indent += INDENT;
    body();
    this.#indent = outer;
    this.line(`}${tail}`);
  }

  // ---------------------------------------------------------------- declarations

  declaration(d: Declaration): void {
    const head = annotations(d.annotations);
    switch (d.kind) {
      case "constant":
      case "variable":
        this.line(`${head}${inlineDeclaration(d)};`);
        break;
      case "instance":
        this.#instance(head, d);
        break;
      case "action":
        this.block(`${head}action ${d.name.name}${params(d.params)}`, () =>
          this.statements(d.body.statements),
        );
        break;
      case "table":
        this.#table(head, d);
        break;
      case "parser":
        this.#parser(head, d);
        break;
      case "state":
        this.block(`${head}state ${d.name.name}`, () => {
          this.statements(d.statements);
          if (d.transition !== undefined) this.#transition(d.transition);
        });
        break;
      case "control":
        this.#control(head, d);
        break;
      case "package":
        this.line(`${head}package ${d.name.name}${typeParams(d.typeParams)}${params(d.constructorParams)};`);
        break;
      case "extern":
        this.block(`${head}extern ${d.name.name}${typeParams(d.typeParams)}`, () => {
          for (const method of [...d.constructors, ...d.methods]) this.declaration(method);
        });
        break;
      case "function":
        this.#function(head, d);
        break;
      case "struct":
      case "header":
      case "headerUnion": {
        const keyword = d.kind === "headerUnion" ? "header_union" : d.kind;
        this.block(`${head}${keyword} ${d.name.name}${typeParams(d.typeParams)}`, () => {
          for (const field of d.fields)
            this.line(
              `${annotations(field.annotations)}${printType(field.typeExpression)} ${field.name.name};`,
            );
        });
        break;
      }
      case "enum": {
        const underlying = d.underlying === undefined ? "" : `${printType(d.underlying)} `;
        this.block(`${head}enum ${underlying}${d.name.name}`, () => this.#members(d.members));
        break;
      }
      case "error":
      case "matchKind":
        this.block(`${head}${d.name.name}`, () => this.#members(d.members));
        break;
      case "typedef":
        this.line(`${head}${d.isNew ? "type" : "typedef"} ${printType(d.typeExpression)} ${d.name.name};`);
        break;
      case "valueSet":
        this.line(
          `${head}value_set<${printType(d.elementType)}>(${printExpression(d.size)}) ${d.name.name};`,
        );
        break;
      case "parameter":
      case "typeParameter":
      case "enumMember":
        this.line(`${head}${d.kind === "parameter" ? parameter(d) : d.name.name}`);
    }
  }

  #instance(head: string, d: InstanceDeclaration): void {
    const { body } = d;
    if (body === undefined) this.line(`${head}${inlineDeclaration(d)};`);
    else
      this.block(
        `${head}${inlineDeclaration(d)} =`,
        () => {
          for (const member of body) this.declaration(member);
        },
        ";",
      );
  }

  #parser(head: string, d: ParserDeclaration): void {
    const { body } = d;
    const title = `${head}parser ${d.name.name}${typeParams(d.typeParams)}${params(d.params)}`;
    if (body === undefined) this.line(`${title};`);
    else
      this.block(title + constructorParams(d.constructorParams), () => {
        for (const local of body.locals) this.declaration(local);
        for (const state of body.states) this.declaration(state);
      });
  }

  #control(head: string, d: ControlDeclaration): void {
    const { body } = d;
    const title = `${head}control ${d.name.name}${typeParams(d.typeParams)}${params(d.params)}`;
    if (body === undefined) this.line(`${title};`);
    else
      this.block(title + constructorParams(d.constructorParams), () => {
        for (const local of body.locals) this.declaration(local);
        this.block(`apply ${annotations(body.apply.annotations)}`.trimEnd(), () =>
          this.statements(body.apply.statements),
        );
      });
  }

  #members(members: readonly EnumMember[]): void {
    members.forEach((member, index) => {
      const value = member.value === undefined ? "" : ` = ${printExpression(member.value)}`;
      const comma = index + 1 < members.length ? "," : "";
      this.line(`${annotations(member.annotations)}${member.name.name}${value}${comma}`);
    });
  }

  /** An extern function on the top level has no body, and only there `extern` before it. */
  #function(head: string, d: FunctionDeclaration): void {
    const returns = d.returnType === undefined ? "" : `${printType(d.returnType)} `;
    const { body } = d;
    const extern = body === undefined && this.#indent === "" ? "extern " : "";
    const title = `${head}${extern}${d.isAbstract ? "abstract " : ""}${returns}${d.name.name}${typeParams(d.typeParams)}${params(d.params)}`;
    if (body === undefined) this.line(`${title};`);
    else this.block(title, () => this.statements(body.statements));
  }

  #table(head: string, d: TableDeclaration): void {
    this.block(`${head}table ${d.name.name}`, () => {
      for (const property of d.properties) this.#property(property);
    });
  }

  #property(property: TableProperty): void {
    const head = annotations(property.annotations);
    switch (property.kind) {
      case "key":
        this.block(`${head}key =`, () => {
          for (const { expression, matchKind, annotations: list } of property.elements)
            this.line(`${printExpression(expression)} : ${matchKind.name}${trailing(list)};`);
        });
        break;
      case "actions":
        this.block(`${head}actions =`, () => {
          for (const action of property.actions)
            this.line(`${annotations(action.annotations)}${actionRef(action)};`);
        });
        break;
      case "entries":
        this.block(`${head}${property.isConst ? "const " : ""}entries =`, () => {
          for (const entry of property.entries) {
            const isConst = entry.isConst ? "const " : "";
            const priority =
              entry.priority === undefined ? "" : `priority = (${printExpression(entry.priority)}) : `;
            const tail = trailing(entry.annotations);
            this.line(`${isConst}${priority}${printKeySet(entry.keys)} : ${actionRef(entry.action)}${tail};`);
          }
        });
        break;
      case "property":
        this.line(
          `${head}${property.isConst ? "const " : ""}${property.name.name} = ${printExpression(property.value)};`,
        );
    }
  }

  #transition(transition: Transition): void {
    if (transition.kind === "direct") {
      this.line(`transition ${transition.next.name};`);
      return;
    }
    this.block(`transition select(${transition.keys.map(printExpression).join(", ")})`, () => {
      for (const { keySet, next } of transition.cases) this.line(`${printKeySet(keySet)} : ${next.name};`);
    });
  }

  // ---------------------------------------------------------------- statements

  statements(list: readonly Statement[]): void {
    for (const statement of list) this.statement(statement, "");
  }

  /** @param lead text on the statement's first line before it, as `else ` */
  statement(s: Statement, lead: string): void {
    const head = lead + annotations(s.annotations);
    switch (s.kind) {
      case "assignment":
      case "callStatement":
        this.line(`${lead}${inlineStatement(s)};`);
        break;
      case "declaration": {
        const { declaration } = s;
        if (lead === "") this.declaration(declaration);
        else this.line(`${lead}${annotations(declaration.annotations)}${inlineDeclaration(declaration)};`);
        break;
      }
      case "block":
        this.block(head.trimEnd(), () => this.statements(s.statements));
        break;
      case "if": {
        this.#branch(`${head}if (${printExpression(s.condition)})`, s.whenTrue, s.whenFalse !== undefined);
        if (s.whenFalse?.kind === "if") this.statement(s.whenFalse, "else ");
        else if (s.whenFalse !== undefined) this.#branch("else", s.whenFalse, false);
        break;
      }
      case "switch":
        this.block(`${head}switch (${printExpression(s.subject)})`, () => {
          for (const { label, body } of s.cases) {
            const title = `${printExpression(label)} :`;
            if (body === undefined) this.line(title);
            else
              this.block(`${title} ${annotations(body.annotations)}`.trimEnd(), () =>
                this.statements(body.statements),
              );
          }
        });
        break;
      case "for": {
        const list = (statements: readonly Statement[]) => statements.map(inlineStatement).join(", ");
        const control = `${list(s.init)}; ${printExpression(s.condition)}; ${list(s.update)}`;
        this.#branch(`${head}for (${control})`, s.body, false);
        break;
      }
      case "forIn": {
        const variable =
          s.variable.kind === "variable"
            ? annotations(s.variable.annotations) + inlineDeclaration(s.variable)
            : printExpression(s.variable);
        this.#branch(`${head}for (${variable} in ${printExpression(s.collection)})`, s.body, false);
        break;
      }
      case "return":
        this.line(`${head}return${s.value === undefined ? "" : ` ${printExpression(s.value)}`};`);
        break;
      case "exit":
      case "break":
      case "continue":
        this.line(`${head}${s.kind};`);
        break;
      case "empty":
        this.line(`${head};`);
    }
  }

  /** The statement under an `if`, `else` or `for`. */
  #branch(head: string, statement: Statement, elseFollows: boolean): void {
    if (statement.kind === "block") this.statement(statement, `${head} `);
    else if (elseFollows && endsWithOpenIf(statement)) this.block(head, () => this.statement(statement, ""));
    else {
      this.line(head);
      const outer = this.#indent;
      this.#indent += INDENT;
      this.statement(statement, "");
      this.#indent = outer;
    }
  }
}

/** Whether an `else` after the statement would become part of it. */
function endsWithOpenIf(statement: Statement): boolean {
  if (statement.kind === "if")
    return statement.whenFalse === undefined || endsWithOpenIf(statement.whenFalse);
  return (statement.kind === "for" || statement.kind === "forIn") && endsWithOpenIf(statement.body);
}

function inlineDeclaration(d: Declaration): string {
  switch (d.kind) {
    case "constant":
      return `const ${printType(d.typeExpression)} ${d.name.name} = ${printExpression(d.initializer)}`;
    case "variable": {
      const value = d.initializer === undefined ? "" : ` = ${printExpression(d.initializer)}`;
      return `${printType(d.typeExpression)} ${d.name.name}${value}`;
    }
    case "instance":
      return `${printType(d.typeExpression)}${printArguments(d.args)} ${d.name.name}`;
    default:
      throw new Error(`a ${d.kind} is no declaration of a block`);
  }
}

function inlineStatement(s: Statement): string {
  const head = annotations(s.annotations);
  switch (s.kind) {
    case "assignment":
      return `${head}${printExpression(s.left)} ${s.op ?? ""}= ${printExpression(s.right)}`;
    case "callStatement":
      return head + printExpression(s.call);
    case "declaration":
      return annotations(s.declaration.annotations) + inlineDeclaration(s.declaration);
    default:
      throw new Error(`a ${s.kind} cannot stand in the head of a loop`);
  }
}

function actionRef({ absolute, name, args }: ActionRef): string {
  return (absolute ? "." : "") + name.name + (args === undefined ? "" : printArguments(args));
}

function annotations(list: readonly Annotation[]): string {
  return list.map((annotation) => `${printAnnotation(annotation)} `).join("");
}

function trailing(list: readonly Annotation[]): string {
  return list.map((annotation) => ` ${printAnnotation(annotation)}`).join("");
}

function typeParams(list: readonly TypeParameter[]): string {
  return list.length === 0 ? "" : `<${list.map(({ name }) => name.name).join(", ")}>`;
}

function params(list: readonly Parameter[]): string {
  return `(${list.map(parameter).join(", ")})`;
}

function constructorParams(list: readonly Parameter[]): string {
  return list.length === 0 ? "" : params(list);
}

function parameter(p: Parameter): string {
  const direction = p.direction === "none" ? "" : `${p.direction} `;
  const value = p.defaultValue === undefined ? "" : ` = ${printExpression(p.defaultValue)}`;
  return `${annotations(p.annotations)}${direction}${printType(p.typeExpression)} ${p.name.name}${value}`;
}
