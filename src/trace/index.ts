/**
 * Trace documents, one a packet, once a switch has written them: `schema.ts` says what a document is, {@link readTraces}
 * reads lines of them and refuses others at their place, {@link wanted} picks packets, and {@link Story} tells one to
 * people, in the sentences of `phrases.ts` and the values of `values.ts`, with lines of the P4 source beside them.
 */
export { type TraceFilter, wanted } from "./filter.js";
export { type ReadTrace, readTraces } from "./read.js";
export { traceSchema } from "./schema.js";
export { SourceLines } from "./source-lines.js";
export { Story } from "./story.js";
