/** Macro definitions and the replacement of one use (C11 section 6.10.3). */
import type { Diagnostics, SourceFile, Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { isWord, Token, tokenText } from "./token.js";

export interface Macro {
  name: string;
  /** Undefined for an object-like macro. */
  params: readonly string[] | undefined;
  /** The last parameter takes all further arguments. */
  variadic: boolean;
  body: readonly Token[];
  /** Place of the definition; undefined for one from the command line or a built-in. */
  span: Span | undefined;
  /** Set while the macro's own replacement is rescanned. */
  active: boolean;
  /** The value of a built-in such as `__LINE__`, from the place of its use. */
  builtin?: (use: Span) => Token;
}

/** What takes part in one replacement. */
export interface Replacement {
  macro: Macro;
  /** The macro's name where it is used. */
  name: Token;
  /** Place of the whole use. */
  use: Span;
  /** One token list per parameter, as written. */
  args: readonly (readonly Token[])[];
  /** Expands an argument on its own. */
  expand: (tokens: readonly Token[]) => Token[];
  /** The tokens of a piece of text, for `##`. */
  scan: (text: string, use: Span) => Token[];
  diagnostics: Diagnostics;
}

/** The tokens that replace a use, before rescanning. Those of the macro's body get the place of the use. */
export function replaceMacro(replacement: Replacement): Token[] {
  const { macro, name, use, args } = replacement;
  const out: Token[] = [];
  const expanded: (Token[] | undefined)[] = [];
  const paramIndex = (token: Token | undefined) =>
    token !== undefined && macro.params !== undefined && isWord(token)
      ? macro.params.indexOf(token.text)
      : -1;
  const { body } = macro;
  /** The operand to the left of a `##` was empty. */
  let leftEmpty = true;
  for (let i = 0; i < body.length; i++) {
    const token = body[i]!;
    const pasting = token.kind === "##" && i > 0 && i + 1 < body.length;
    if (pasting) i++;
    let item = body[i]!;
    let tokens: readonly Token[];
    const param = paramIndex(item);
    const quoted = item.kind === "#" && macro.params !== undefined ? paramIndex(body[i + 1]) : -1;
    if (quoted >= 0) {
      tokens = [stringify(args[quoted]!, item, use)];
      i++;
    } else if (param >= 0) {
      const whole = pasting || body[i + 1]?.kind === "##";
      tokens = whole ? args[param]! : (expanded[param] ??= replacement.expand(args[param]!));
      if (tokens.length > 0) tokens = [withSpacing(tokens[0]!, item), ...tokens.slice(1)];
    } else {
      item = at(item, use);
      tokens = [item];
    }
    if (!pasting) {
      for (const each of tokens) out.push(each);
      leftEmpty = tokens.length === 0;
    } else if (macro.variadic && param === macro.params!.length - 1 && out.at(-1)?.kind === ",") {
      // GNU: in `, ## __VA_ARGS__` the comma is removed if there are no further arguments.
      if (tokens.length === 0) out.pop();
      for (const each of tokens) out.push(each);
    } else if (tokens.length > 0) {
      if (leftEmpty) for (const each of tokens) out.push(each);
      else {
        paste(out, out.pop()!, tokens[0]!, replacement);
        for (let j = 1; j < tokens.length; j++) out.push(tokens[j]!);
      }
      leftEmpty = false;
    }
  }
  if (out.length > 0) out[0] = withSpacing(out[0]!, name);
  return out;
}

/** A body token at the place of the use. */
function at(token: Token, use: Span): Token {
  return new Token(token.kind, use.file, use.start, use.end, token.text, false, token.space, token.painted);
}

function withSpacing(token: Token, like: Pick<Token, "newline" | "space">): Token {
  const { kind, file, start, end, text, painted } = token;
  return new Token(kind, file, start, end, text, like.newline, like.space, painted);
}

function stringify(arg: readonly Token[], hash: Token, use: Span): Token {
  const text = arg
    .map((token, index) => {
      const spelled = tokenText(token);
      const quoted = token.kind === "stringLiteral" ? spelled.replace(/[\\"]/g, "\\$&") : spelled;
      return index > 0 && (token.space || token.newline) ? ` ${quoted}` : quoted;
    })
    .join("");
  return new Token("stringLiteral", use.file, use.start, use.end, text, false, hash.space);
}

function paste(
  out: Token[],
  left: Token,
  right: Token,
  { use, scan, diagnostics, macro }: Replacement,
): void {
  const text = tokenText(left) + tokenText(right);
  const tokens = scan(text, use);
  // Two `>` are one operator to the parser but two tokens to the scanner.
  if (tokens.length !== 1 && text !== ">>") {
    // The preprocessor that p4c calls lets this pass, and programs write `hdr.##field`.
    diagnostics.warning(
      CODES.joinedNoToken,
      use,
      `## in macro '${macro.name}' cannot join '${tokenText(left)}' and '${tokenText(right)}' to one token; they stay two`,
      ...(macro.span === undefined ? [] : [{ message: "the macro is defined here", span: macro.span }]),
    );
    out.push(left, withSpacing(right, { newline: false, space: false }));
    return;
  }
  tokens.forEach((token, index) => {
    out.push(index === 0 ? withSpacing(token, left) : token);
  });
}

/** Whether two definitions are the same, so that the second is allowed (C11 6.10.3 paragraph 2). */
export function sameMacro(a: Macro, b: Macro): boolean {
  return (
    a.variadic === b.variadic &&
    a.params?.join() === b.params?.join() &&
    a.body.length === b.body.length &&
    a.body.every((token, i) => {
      const other = b.body[i]!;
      return tokenText(token) === tokenText(other) && (i === 0 || token.space === other.space);
    })
  );
}

/** A macro whose replacement is computed where it is used. */
export function builtinMacro(
  name: string,
  value: (use: Span) => { kind: "integer" | "stringLiteral"; text: string },
): Macro {
  const builtin = (use: Span) => {
    const { kind, text } = value(use);
    return new Token(kind, use.file as SourceFile, use.start, use.end, text, false, false);
  };
  return { name, params: undefined, variadic: false, body: [], span: undefined, active: false, builtin };
}
