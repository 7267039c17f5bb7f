/**
 * What an editor asks of P4 programs, as pure functions on text that run in a browser as well.
 *
 *     format/   white space anew, everything else as it was
 */
export { format } from "./format/format.js";
