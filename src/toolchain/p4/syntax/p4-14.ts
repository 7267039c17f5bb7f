/**
 * Tells a P4-14 program by declarations that no P4-16 program can have, so that its user gets one message in place of one for each
 * line that is no P4-16 (P4-14 specification 1.0.5, sections 2 to 15). Only whole forms count: a P4-16 program with mistakes stays one.
 */
import type { Diagnostics } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Token } from "./token.js";

/** Declarations `WORD NAME {` of P4-14 alone. */
const WITH_BODY = new Set([
  "header_type",
  "field_list",
  "field_list_calculation",
  "action_profile",
  "action_selector",
]);

/** The two controls that each P4-14 program has names for; those of P4-16 have parameters. */
const CONTROLS = new Set(["ingress", "egress"]);

/** First words of a P4-14 parser's body. */
const PARSER_WORDS = new Set(["extract", "set_metadata", "return"]);

/** The declaration that shows that the program is P4-14, if it has one. */
export function findP414(tokens: readonly Token[]): Token | undefined {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const text = token.text;
    if (text === "{") depth++;
    else if (text === "}") depth = Math.max(0, depth - 1);
    else if (depth === 0 && shows(text, (after) => tokens[index + after]?.text ?? "")) return token;
  }
  return undefined;
}

function shows(word: string, next: (after: number) => string): boolean {
  if (next(2) === "{") {
    if (WITH_BODY.has(word)) return true;
    if (word === "control") return CONTROLS.has(next(1));
    if (word === "parser") return PARSER_WORDS.has(next(3));
    return word === "table" && next(3) === "reads";
  }
  return word === "metadata" && /^\w+$/.test(next(1) + next(2)) && (next(3) === ";" || next(3) === "{");
}

/** The one message about a P4-14 program. */
export function reportP414(token: Token, diagnostics: Diagnostics): void {
  diagnostics.error(
    CODES.p414,
    token,
    `this is a P4-14 program ('${token.text}' is a declaration of P4-14), and only P4-16 is compiled`,
    "p4c translates it: p4test --std p4-14 --pp NEW.p4 OLD.p4",
  );
}
