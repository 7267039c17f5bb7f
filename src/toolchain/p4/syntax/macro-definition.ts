/** The text after `#define` or `-D` (C11 section 6.10.3). */
import type { Diagnostics, Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { Macro } from "./macro.js";
import { isWord, type Token } from "./token.js";

/** `NAME body` or `NAME(params) body`; undefined after an error. */
export function parseDefinition(
  tokens: readonly Token[],
  line: Span,
  diagnostics: Diagnostics,
): Macro | undefined {
  const [name, open] = tokens;
  if (name === undefined || !isWord(name) || name.text === "defined") {
    diagnostics.error(
      CODES.malformedMacro,
      name ?? line,
      name?.text === "defined" ? "a macro must not be called 'defined'" : "expected a name after #define",
    );
    return undefined;
  }
  let next = 1;
  let params: string[] | undefined;
  let variadic = false;
  if (open?.kind === "(" && !open.space) {
    params = [];
    for (next = 2; tokens[next]?.kind !== ")" || params.length > 0; next++) {
      const param = tokens[next];
      if (param?.kind === "...") {
        variadic = true;
        params.push("__VA_ARGS__");
      } else if (param !== undefined && isWord(param) && !params.includes(param.text)) {
        params.push(param.text);
        // GNU: `name...` takes all further arguments.
        if (tokens[next + 1]?.kind === "...") {
          variadic = true;
          next++;
        }
      } else {
        const message =
          param !== undefined && isWord(param)
            ? `macro '${name.text}' has two parameters called '${param.text}'`
            : `expected a parameter name in the definition of macro '${name.text}'`;
        diagnostics.error(CODES.malformedMacro, param ?? line, message);
        return undefined;
      }
      const after = tokens[++next];
      if (after?.kind === ")") break;
      if (after?.kind !== "," || variadic) {
        diagnostics.error(
          CODES.malformedMacro,
          after ?? line,
          `expected ${variadic ? "" : "',' or "}')' after a macro parameter`,
        );
        return undefined;
      }
    }
    next++;
  }
  const body = tokens.slice(next);
  if (body[0]?.kind === "##" || body.at(-1)?.kind === "##") {
    const wrong = body[0]!.kind === "##" ? body[0]! : body.at(-1)!;
    diagnostics.error(
      CODES.malformedMacro,
      wrong,
      "## joins two tokens: it cannot stand at an end of a macro",
    );
    return undefined;
  }
  const span = { file: name.file, start: name.start, end: name.end };
  return { name: name.text, params, variadic, body, span, active: false };
}
