/** Syntax colours of P4-16 for the editor, token by token, by the lexical rules of the specification; comments may span lines. */
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const KEYWORDS = new Set(
  (
    "abstract action actions apply const control default else entries enum error exit extern header header_union if in inout key match_kind " +
    "out package parser priority pragma return select size state struct switch table this transition type typedef value_set for break continue"
  ).split(" "),
);
const TYPES = new Set("bit bool int varbit void string tuple list packet_in packet_out".split(" "));
const ATOMS = new Set("true false accept reject _ default".split(" "));
const PROPERTIES = new Set(
  "isValid setValid setInvalid emit extract lookahead advance length hit miss action_run read write count execute_meter".split(
    " ",
  ),
);

interface State {
  inComment: boolean;
  /** The previous keyword if it declares a name, such as `action`. */
  declares: string;
}

const p4 = StreamLanguage.define<State>({
  name: "p4",
  startState: () => ({ inComment: false, declares: "" }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (state.inComment) return comment();
    if (stream.eatSpace()) return null;
    if (stream.sol() && stream.match(/^#\s*\w+/)) {
      if (stream.match(/^\s*(<[^>]*>|"[^"]*")/)) return "meta";
      return "meta";
    }
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.inComment = true;
      return comment();
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^@\w+/)) return "annotation";
    if (stream.match(/^(?:\d+[ws])?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0[dD][\d_]+|\d[\d_]*)/))
      return "number";
    if (stream.match(/^[A-Za-z_]\w*/)) return word(stream.current());
    if (stream.match(/^(?:&&&|\+\+|\|\+\||\|-\||<<|>>|[<>=!]=|&&|\|\||\.\.\.?|[-+*/%&|^~!<>=?:])/))
      return "operator";
    stream.next();
    return null;

    function comment(): string {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.inComment = false;
      } else stream.skipToEnd();
      return "comment";
    }

    function word(name: string): string {
      const before = state.declares;
      state.declares = name;
      if (KEYWORDS.has(name)) return "keyword";
      if (TYPES.has(name)) return "typeName";
      if (ATOMS.has(name)) return "atom";
      if (PROPERTIES.has(name)) return "propertyName";
      if (/^(action|table|control|parser|state|header|struct|enum|extern|typedef|header_union)$/.test(before))
        return "definition";
      if (/_t$/.test(name)) return "typeName";
      return "variableName";
    }
  },
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
  },
  tokenTable: { annotation: tags.annotation, definition: tags.definition(tags.variableName) },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--t-keyword)" },
  { tag: tags.typeName, color: "var(--t-type)" },
  { tag: [tags.number, tags.atom], color: "var(--t-number)" },
  { tag: tags.string, color: "var(--t-string)" },
  { tag: tags.comment, color: "var(--t-comment)", fontStyle: "italic" },
  { tag: [tags.meta, tags.annotation], color: "var(--t-meta)" },
  { tag: tags.definition(tags.variableName), color: "var(--t-name)", fontWeight: "600" },
  { tag: tags.propertyName, color: "var(--t-name)" },
]);

export const p4Language = (): LanguageSupport => new LanguageSupport(p4, [syntaxHighlighting(colours)]);
