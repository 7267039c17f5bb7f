/** Gradebooks of learning platforms: {@link readRoster} reads the students, {@link matchSubmissions} finds the submission of each, {@link gradebookText} writes the results. */
export { gradebookText } from "./gradebook.js";
export { matchSubmissions } from "./match.js";
export { PLATFORMS, type Platform, readRoster } from "./roster.js";
