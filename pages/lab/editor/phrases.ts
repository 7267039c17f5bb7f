/** The words of CodeMirror's own parts, such as its search, in the language of the page. */
import { EditorState, type Extension } from "@codemirror/state";
import english from "../../../data/languages/en.json" with { type: "json" };
import { type TextKey, t } from "../language/texts.js";

const PREFIX = "editor.phrase.";

const KEYS = (Object.keys(english.texts) as TextKey[]).filter((key) => key.startsWith(PREFIX));

export const editorPhrases = (): Extension =>
  EditorState.phrases.of(Object.fromEntries(KEYS.map((key) => [key.slice(PREFIX.length), t(key)])));
