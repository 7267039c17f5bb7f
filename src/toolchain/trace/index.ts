/**
 * Trace documents, one for each packet, that a switch has written. `schema.ts` defines a document. {@link readTraces} reads
 * lines of documents and reports wrong lines at their place. {@link wanted} chooses packets. {@link Story} prints one for
 * people, in the sentences of `phrases.ts` with the values of `values.ts`, and lines of the P4 source beside them;
 * {@link storyLines} has the same as data.
 */
export { type TraceFilter, wanted } from "./filter.js";
export { outcomeText } from "./phrases.js";
export { readTraces } from "./read.js";
export { traceSchema } from "./schema.js";
export { SourceLines, Story, type StoryLine, storyLines } from "./story.js";
