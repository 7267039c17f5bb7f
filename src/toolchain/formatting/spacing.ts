/** Where a space stands between two tokens of one line. */
import { defined } from "../../base/index.js";
import { wouldJoin } from "../p4/index.js";
import type { Element } from "./elements.js";

/** What a token is beyond its text, as far as spaces depend on it. */
export type Role =
  /** An operator with two operands, `?`, or the `:` of `a ? b : c`. */
  | "binary"
  /** `-`, `+`, `!`, `~` before an operand. */
  | "unary"
  /** `<` and `>` of type arguments and widths. */
  | "angle"
  /** `(` of a condition, after `if`, `for`, `switch`. */
  | "condition"
  /** The `)` of such a condition. */
  | "conditionEnd"
  /** The `)` of arguments or parameters. */
  | "callEnd"
  /** `:` inside of `[high:low]`. */
  | "slice"
  | "plain";

const BINARY = new Set(
  "* / % + - |+| |-| << >> <= >= == != & ^ | ++ && || &&& .. ? = |+|= |-|= <<= >>= += -= *= /= %= &= |= ^=".split(
    " ",
  ),
);
const SIGNS = new Set(["-", "+", "!", "~"]);
const CONDITIONS = new Set(["if", "for", "switch"]);
/** Keywords before which an operand has ended, as they are names as well. */
const OPERAND_WORDS = new Set(
  "actions apply entries key list priority state type this true false error bool void string".split(" "),
);
/** After these a `<` opens type arguments. */
const GENERIC_WORDS = new Set(["bit", "int", "varbit", "tuple", "list", "value_set"]);
/** What type arguments and widths consist of. */
const IN_ANGLES = new Set(
  "identifier integer bit int varbit bool error void tuple list string match_kind value_set _ , . + - * / ( ) [ ] < >".split(
    " ",
  ),
);
/** Also in widths, which p4c wants in parentheses: `bit<(N % 8)>`. */
const IN_WIDTHS = new Set(["%", "&", "|", "^", "<<"]);
const AFTER_ANGLES = new Set("( ) , > ; { . [ = in out inout".split(" "));
const MAX_ANGLE_TOKENS = 200;

function isWord({ text }: Element): boolean {
  return /^\w/.test(text);
}

/** Whether an operand ends with this token, so that a `-` after it subtracts. */
function endsOperand(element: Element): boolean {
  const { token } = element;
  if (token === "identifier" || token === "integer" || token === "stringLiteral") return true;
  return token === ")" || token === "]" || token === "}" || OPERAND_WORDS.has(token);
}

/** The role of each element, by its index. */
export function rolesOf(elements: readonly Element[]): Role[] {
  const roles: Role[] = elements.map(() => "plain");
  const file = { index: -1, questions: 0, call: false };
  const open = [file];
  let before: number | undefined;
  for (const [index, element] of elements.entries()) {
    if (element.kind !== "token") continue;
    const { token } = element;
    const last = before === undefined ? undefined : elements[before];
    const beforeIndex = before;
    before = index;
    if (roles[index] === "angle") continue;
    if (token === "(" || token === "[" || token === "{") {
      if (token === "(" && last !== undefined && CONDITIONS.has(last.token)) roles[index] = "condition";
      const call = last?.token === "identifier" || (last?.token === ">" && roles[beforeIndex!] === "angle");
      open.push({ index, questions: 0, call });
    } else if (token === ")" || token === "]" || token === "}") {
      const opened = open.length > 1 ? defined(open.pop()) : file;
      if (roles[opened.index] === "condition") roles[index] = "conditionEnd";
      else if (token === ")" && opened.call) roles[index] = "callEnd";
    } else if (token === ":") {
      const top = defined(open.at(-1));
      if (top.questions > 0) {
        top.questions--;
        roles[index] = "binary";
      } else if (elements[top.index]?.token === "[") roles[index] = "slice";
    } else if (token === "+:") roles[index] = "slice";
    else if (SIGNS.has(token) && (last === undefined || !endsOperand(last))) roles[index] = "unary";
    else if (token === "<" || token === ">") {
      const close = token === "<" ? closingAngle(elements, index, last) : undefined;
      if (close === undefined) roles[index] = "binary";
      else markAngles(elements, roles, index, close);
    } else if (BINARY.has(token)) {
      roles[index] = "binary";
      if (token === "?") defined(open.at(-1)).questions++;
    }
  }
  return roles;
}

/** The `>` that closes a `<` of type arguments; undefined where the `<` compares. */
function closingAngle(
  elements: readonly Element[],
  index: number,
  before: Element | undefined,
): number | undefined {
  if (before === undefined || !(GENERIC_WORDS.has(before.token) || before.token === "identifier"))
    return undefined;
  let depth = 0;
  let parentheses = 0;
  for (let at = index; at < elements.length && at < index + MAX_ANGLE_TOKENS; at++) {
    const element = defined(elements[at]);
    if (element.kind !== "token") continue;
    if (!IN_ANGLES.has(element.token) && !(parentheses > 0 && IN_WIDTHS.has(element.token))) return undefined;
    if (element.token === "(") parentheses++;
    if (element.token === ")") parentheses--;
    if (element.token === "<") depth++;
    if (element.token !== ">" || --depth > 0) continue;
    const after = elements.slice(at + 1, at + 4).find(({ kind }) => kind === "token" || kind === "directive");
    if (GENERIC_WORDS.has(before.token) || after === undefined || after.kind === "directive") return at;
    return AFTER_ANGLES.has(after.token) || after.token === "identifier" ? at : undefined;
  }
  return undefined;
}

/** Shifts within the width, as in `bit<(1 >> 2)>`, do not occur in practice; all angles in between are type arguments. */
function markAngles(elements: readonly Element[], roles: Role[], from: number, to: number): void {
  for (let at = from; at <= to; at++) {
    const { token } = defined(elements[at]);
    if (token === "<" || token === ">") roles[at] = "angle";
  }
}

/** The text between two neighbouring tokens of one line: empty or one space. Two tokens that stood apart never become one. */
export function spaceBetween(left: Element, leftRole: Role, right: Element, rightRole: Role): string {
  const space = ruledSpace(left, leftRole, right, rightRole);
  if (space !== "" || right.gap === 0) return space;
  const joins = wouldJoin({ kind: left.token, text: left.text }, { kind: right.token, text: right.text });
  return joins ? " " : "";
}

function ruledSpace(left: Element, leftRole: Role, right: Element, rightRole: Role): string {
  const [a, b] = [left.token, right.token];
  const asWritten = right.gap > 0 ? " " : "";
  if (a === ">" && b.startsWith(">")) return asWritten;
  if (isForeign(left) || isForeign(right)) return asWritten;
  if (b === "," || b === ";" || b === ")" || b === "]") return "";
  if (a === "(" || a === "[" || a === "@") return "";
  if (leftRole === "unary") return "";
  if (leftRole === "slice" || rightRole === "slice") return "";
  if (a === ".") return "";
  if (b === ".") return a === "return" || a === "in" || a === "out" || a === "inout" || a === "," ? " " : "";
  if (rightRole === "angle") return "";
  if (leftRole === "angle") {
    if (a === "<") return "";
    return isWord(right) || b === "{" || rightRole === "binary" ? " " : "";
  }
  if (rightRole === "condition") return " ";
  if (rightRole === "binary" || leftRole === "binary") return " ";
  if (b === ":") return asWritten;
  if (b === "(" || b === "[") return beforeParenthesis(left, leftRole, asWritten);
  if (a === ")" && leftRole === "plain" && (isWord(right) || rightRole === "unary"))
    return afterParenthesis(right, asWritten);
  return " ";
}

/** A cast keeps the space that it has or has not. */
function afterParenthesis(right: Element, asWritten: string): string {
  return right.token === "in" || right.token === "out" || right.token === "inout" ? " " : asWritten;
}

function beforeParenthesis(left: Element, role: Role, asWritten: string): string {
  const { token } = left;
  if (token === ")") return role === "conditionEnd" ? " " : asWritten;
  if (token === "]" || token === "identifier" || token === "integer") return "";
  if (["apply", "select", "state", "type", "list", "key", "entries", "actions", "this"].includes(token))
    return "";
  if (["priority", "error", "table", "control", "parser", "value_set"].includes(token)) return "";
  return " ";
}

/** Characters and operators of macros, which p4loom does not judge. */
function isForeign({ token }: Element): boolean {
  return token === "other" || token === "#" || token === "##";
}
