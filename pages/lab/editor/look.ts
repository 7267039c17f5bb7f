/** The style of the page's editors. It uses the page's colours, so that it follows a change of theme. */
import { EditorView } from "@codemirror/view";

export const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  // opaque, because a long line that is scrolled to the left goes below it
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 26%, transparent)",
  },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent) !important" },
  ".cm-panels": { backgroundColor: "var(--sunk)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-tooltip": {
    backgroundColor: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--strong-line)",
    borderRadius: "6px",
    maxWidth: "560px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--soft)", color: "var(--ink)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", fontSize: "12.5px" },
  ".cm-note": { padding: "4px 10px", maxHeight: "320px", overflow: "auto", fontSize: "12.5px" },
  ".cm-signature": { fontFamily: "var(--mono)", fontSize: "12px" },
  ".cm-dialog label, .cm-dialog .cm-textfield, .cm-dialog .cm-button": { fontSize: "12.5px" },
  ".cm-lit": { backgroundColor: "var(--lit)" },
  ".cm-lit-now": { backgroundColor: "var(--lit-now)" },
});
