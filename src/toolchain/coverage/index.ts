/**
 * What packets reached of a program, by line of its source: statements, branches, actions of tables, states of parsers.
 *
 *     items          from the counts of a switch to places in the source
 *     report         sums, lines
 *     text, lcov, page   for terminals, for tools, for browsers
 */
export { lcovText } from "./lcov.js";
export { coveragePage } from "./page.js";
export { type Coverage, coverageOf, percentOf } from "./report.js";
export { coverageText } from "./text.js";
