/** Integer literals (P4-16 section 6.4.3.2). */
import { CODES } from "../codes.js";
import type { IntLiteral } from "./ast.js";
import { type Cursor, spanOf } from "./cursor.js";
import type { Token } from "./token.js";

/** The widest type that BMv2 programs may use, p4c's limit too. */
const MAX_WIDTH = 2048;

const form =
  /^(?:([0-9]+)([ws]))?(?:0[xX]([0-9a-fA-F_]+)|0[dD]([0-9_]+)|0[oO]([0-7_]+)|0[bB]([01_]+)|([0-9][0-9_]*))$/;

/** The value is kept as written: whether it fits the width is for the checker to say. */
export function parseIntLiteral(cursor: Cursor, token: Token): IntLiteral {
  const { text } = token;
  const span = spanOf(token);
  // Most literals are short and decimal.
  if (text.length < 10 && /^[0-9]+$/.test(text))
    return { kind: "intLiteral", span, value: BigInt(text), width: undefined, signed: false, text };
  const match = form.exec(text);
  const digits = match?.slice(3).find((group) => group !== undefined);
  if (match === null || digits === undefined || !/[0-9a-fA-F]/.test(digits)) {
    cursor.fail(
      CODES.malformedNumber,
      token,
      `'${text.slice(0, 60)}' is not a well-formed number`,
      hint(text, cursor.peek(0)),
    );
  }
  const [, width, sign] = match;
  const prefix =
    match[3] !== undefined ? "0x" : match[5] !== undefined ? "0o" : match[6] !== undefined ? "0b" : "";
  if (width !== undefined && (width.length > 6 || Number(width) > MAX_WIDTH))
    cursor.fail(
      CODES.malformedNumber,
      token,
      `the width of '${text.slice(0, 60)}' is more than ${MAX_WIDTH} bits`,
    );
  return {
    kind: "intLiteral",
    span,
    value: BigInt(prefix + digits.replaceAll("_", "")),
    width: width === undefined ? undefined : Number(width),
    signed: sign === "s",
    text,
  };
}

function hint(text: string, next: Token): string {
  if (/^[0-9]+[ws]$/.test(text))
    return next.kind === "-" ? `a minus stands before the width: -${text}1` : "digits must follow the width";
  if (/^[0-9]+'/.test(text)) return "a width is written 8w255";
  return "numbers look like 10, 0xFF, 0b1010, 0o17, 8w255, 4s7; digits may be grouped with _";
}
