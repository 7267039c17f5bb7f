/** Completion of words by the names and types of the program. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { SuggestionsView } from "../../../src/course/lab/index.js";
import type { Ask } from "./ask.js";
import { note } from "./note.js";

/** The editor's icons by the kinds of the language service. */
const ICONS: Readonly<Record<string, string>> = {
  ...{ constant: "constant", variable: "variable", parameter: "variable", instance: "variable" },
  ...{ action: "function", function: "function", method: "method", table: "class", parser: "class" },
  ...{ control: "class", package: "namespace", extern: "interface", struct: "type", header: "type" },
  ...{ "header union": "type", enum: "enum", member: "enum", field: "property", state: "enum" },
  ...{ keyword: "keyword", annotation: "keyword", property: "property", macro: "constant", file: "text" },
};
/** Characters that open the list of completions but are not part of a word. */
const STARTS = /[.@#<]$/;

export function suggestions(ask: Ask): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context;
    const before = context.matchBefore(/[\w.@#<]+/);
    if (!explicit && (before === null || (!STARTS.test(before.text) && !/[A-Za-z_]\w*$/.test(before.text))))
      return null;
    const answer = await ask("edit.complete", state, pos);
    if (answer === undefined || context.aborted || answer.items.length === 0) return null;
    return { from: answer.from, options: answer.items.map(option), validFor: /^\w*$/ };
  };
  return autocompletion({ override: [source], icons: true });
}

function option({
  label,
  kind,
  detail,
  documentation,
  insert,
  rank,
}: SuggestionsView["items"][number]): Completion {
  return {
    label,
    type: ICONS[kind] ?? "text",
    ...(detail === "" ? {} : { detail }),
    ...(documentation === "" ? {} : { info: () => note(documentation) }),
    ...(insert === label ? {} : { apply: snippet(insert.replaceAll("$1", "#{}")) }),
    // the editor orders completions by the match of their label; equal ones are ordered by this number, -99 to 99
    boost: Math.max(-99, 99 - rank),
  };
}
