/**
 * Files that people write: {@link loadDocument} checks YAML or JSON against a schema and reports each error at its
 * place, with the keys and values of the file.
 */
export {
  type EditedContents,
  type LoadedDocument,
  loadDocument,
  type OpenDocument,
  openDocument,
} from "./document.js";
export { describeIssues } from "./schema-issues.js";
