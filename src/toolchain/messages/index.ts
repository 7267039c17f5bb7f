/** The catalogue of diagnostics, explained: see `catalogue.ts` for what it has and where. */
export { type CatalogueFiles, type Entry, type Example, type Group, readCatalogue } from "./catalogue.js";
export {
  entryJson,
  entryOf,
  entryText,
  groupsJson,
  groupsText,
  groupText,
  nearestCode,
  normalCode,
} from "./explain.js";
export { errorsPage } from "./page.js";
