/** Signature help: the parameters of the call at the cursor. */

import { defined } from "../../../base/index.js";
import type { Element } from "../../formatting/index.js";
import type { ast } from "../../p4/index.js";
import { functionText, headOf, parameterText } from "../describe.js";
import type { P4Document } from "../document.js";
import { documentation } from "../hover.js";
import { before } from "../text.js";
import { reachedBy } from "./chain.js";

interface Signature {
  readonly label: string;
  readonly parameters: readonly string[];
  /** Markdown. */
  readonly documentation: string;
}

export interface SignatureHelp {
  readonly signatures: readonly Signature[];
  /** Index of the first signature that fits the number of arguments so far. */
  readonly active: number;
  /** The position of the argument at the offset. */
  readonly argument: number;
}

/** Undefined if the offset is not in the arguments of a call. */
export function signatureHelp(document: P4Document, offset: number): SignatureHelp | undefined {
  const { tokens, inText } = before(document, offset);
  if (inText) return undefined;
  const open = openCall(tokens);
  if (open === undefined) return undefined;
  const { callee, argument } = open;
  const reached = reachedBy(document, callee, defined(callee.at(-1)).end);
  const signatures = (reached?.callables ?? []).flatMap((one) => signaturesOf(one));
  if (signatures.length === 0) return undefined;
  const fitting = signatures.findIndex(({ parameters }) => parameters.length > argument);
  return { signatures, active: Math.max(0, fitting), argument };
}

/** The tokens before the innermost open parenthesis, and the number of commas after it. */
function openCall(tokens: readonly Element[]): { callee: readonly Element[]; argument: number } | undefined {
  let depth = 0;
  let argument = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { token } = defined(tokens[at]);
    if (token === ")" || token === "]" || token === "}") depth++;
    else if (token === "(" || token === "[" || token === "{") {
      if (depth-- > 0) continue;
      // A list or an index is part of an argument.
      if (token !== "(") {
        depth = 0;
        argument = 0;
        if (tokens[at - 1]?.token === ")" || tokens[at - 1]?.token === ";") return undefined;
        continue;
      }
      let end = at;
      if (tokens[end - 1]?.token === ">") {
        while (end > 0 && defined(tokens[end - 1]).token !== "<") end--;
        end--;
      }
      return end > 0 ? { callee: tokens.slice(0, end), argument } : undefined;
    } else if (token === "," && depth === 0) argument++;
    else if (token === ";" && depth === 0) return undefined;
  }
  return undefined;
}

function signaturesOf(callable: ast.Declaration): Signature[] {
  const signature = (params: readonly ast.Parameter[], label: string): Signature[] => [
    { label, parameters: params.map(parameterText), documentation: documentation(callable) },
  ];
  switch (callable.kind) {
    case "function":
      return signature(callable.params, functionText(callable));
    case "action":
      return signature(callable.params, headOf(callable));
    case "control":
    case "parser":
      return signature(callable.params, headOf(callable));
    case "package":
      return signature(callable.constructorParams, headOf(callable));
    case "extern":
      return callable.constructors.flatMap((one) => signaturesOf(one));
    default:
      return [];
  }
}
