/** Describes declarations, in words and as one line of P4. */
import {
  type ast,
  constantToString,
  kindWord,
  type Macro,
  printExpression,
  sizeOf,
  type Type,
  typeToString,
} from "../p4/index.js";
import type { Target } from "./occurrences/occurrence.js";
import { isMacro } from "./occurrences/occurrences.js";

/** The text of a type as in the program, or from the checker. */
export function typeText(expression: ast.TypeExpression, type: Type | undefined): string {
  if (type !== undefined && type.kind !== "unknown") {
    // A typedef is shown by its name.
    if (expression.kind === "namedType" && expression.args.length === 0) return expression.name.name;
    return typeToString(type);
  }
  return expression.kind === "namedType" ? expression.name.name : "unknown";
}

export function parameterText(param: ast.Parameter): string {
  const direction = param.direction === "none" ? "" : `${param.direction} `;
  const value = param.defaultValue === undefined ? "" : ` = ${printExpression(param.defaultValue)}`;
  return `${direction}${typeText(param.typeExpression, param.type ?? param.typeExpression.type)} ${param.name.name}${value}`;
}

function parametersText(params: readonly ast.Parameter[]): string {
  return `(${params.map(parameterText).join(", ")})`;
}

function typeParametersText(params: readonly ast.TypeParameter[]): string {
  return params.length === 0 ? "" : `<${params.map((param) => param.name.name).join(", ")}>`;
}

/** `void extract<T>(out T hdr)`. */
export function functionText(declaration: ast.FunctionDeclaration): string {
  const { name, typeParams, params, returnType } = declaration;
  const result = returnType === undefined ? "" : `${typeText(returnType, returnType.type)} `;
  return `${result}${name.name}${typeParametersText(typeParams)}${parametersText(params)}`;
}

function macroText({ name, params, body }: Macro): string {
  const head = params === undefined ? name : `${name}(${params.join(", ")})`;
  const text = body.map((token, index) => (index > 0 && token.space ? " " : "") + token.text).join("");
  return `#define ${head} ${text}`.trimEnd();
}

/** The head of a declaration in P4. */
export function headOf(target: Target): string {
  if (isMacro(target)) return macroText(target);
  if (!("kind" in target)) return `${typeText(target.typeExpression, target.type)} ${target.name.name}`;
  const name = target.name.name;
  switch (target.kind) {
    case "constant":
      return `const ${typeText(target.typeExpression, target.type)} ${name} = ${printExpression(target.initializer)}`;
    case "variable":
      return `${typeText(target.typeExpression, target.type)} ${name}`;
    case "instance":
      return `${target.type === undefined ? typeText(target.typeExpression, undefined) : typeToString(target.type)}(${target.args
        .map((arg) => printExpression(arg.value))
        .join(", ")}) ${name}`;
    case "action":
      return `action ${name}${parametersText(target.params)}`;
    case "table":
      return `table ${name}`;
    case "parser":
    case "control": {
      const ownParams = target.constructorParams.length === 0 ? "" : parametersText(target.constructorParams);
      return `${target.kind} ${name}${typeParametersText(target.typeParams)}${parametersText(target.params)}${ownParams}`;
    }
    case "package":
      return `package ${name}${typeParametersText(target.typeParams)}${parametersText(target.constructorParams)}`;
    case "extern":
      return `extern ${name}${typeParametersText(target.typeParams)}`;
    case "function":
      return functionText(target);
    case "struct":
    case "header":
      return `${target.kind} ${name}${typeParametersText(target.typeParams)}`;
    case "headerUnion":
      return `header_union ${name}`;
    case "enum":
      return target.underlying === undefined
        ? `enum ${name}`
        : `enum ${typeText(target.underlying, target.underlying.type)} ${name}`;
    case "typedef":
      return `${target.isNew ? "type" : "typedef"} ${typeText(target.typeExpression, target.typeExpression.type)} ${name}`;
    case "valueSet":
      return `value_set<${typeText(target.elementType, target.elementType.type)}>(${printExpression(target.size)}) ${name}`;
    case "state":
      return `state ${name}`;
    case "parameter":
      return parameterText(target);
    case "typeParameter":
      return `type parameter ${name}`;
    case "enumMember":
      return target.value === undefined ? name : `${name} = ${printExpression(target.value)}`;
    case "error":
    case "matchKind":
      return kindWord(target);
  }
}

/** `160 bits (20 bytes)`; empty for types without a size. */
export function sizeText(type: Type): string {
  const [min, max] = [sizeOf(type, "min"), sizeOf(type, "max")];
  return max === undefined || min === undefined ? "" : rangeText(min, max);
}

/** A range of sizes in bits, in bytes too where both ends are whole bytes. */
export function rangeText(min: number, max: number): string {
  const bits = min === max ? `${max}` : `${min} to ${max}`;
  const bytes = max % 8 === 0 && min % 8 === 0 && max >= 8;
  const inBytes = min === max ? max / 8 : `${min / 8} to ${max / 8}`;
  return `${bits} ${bits === "1" ? "bit" : "bits"}${bytes ? ` (${inBytes} ${inBytes === 1 ? "byte" : "bytes"})` : ""}`;
}

/** A constant in decimal and hexadecimal. */
export function constantText(value: Parameters<typeof constantToString>[0]): string {
  if (value.kind !== "integer" || (value.value < 10n && value.value >= 0n)) return constantToString(value);
  const hex = value.value < 0n ? `-0x${(-value.value).toString(16)}` : `0x${value.value.toString(16)}`;
  return `${value.value} = ${hex}`;
}
