/**
 * Files that people write: {@link loadDocument} reads YAML or JSON against a schema and says what is wrong with it
 * at its place, in the file's own words.
 */
export { type LoadedDocument, loadDocument } from "./document.js";
