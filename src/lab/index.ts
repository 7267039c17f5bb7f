/**
 * A network to look at, that runs in Node and in a worker of a browser alike. `protocol.ts` has the words between a page and
 * a lab.
 */
export * from "./protocol.js";
