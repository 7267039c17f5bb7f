/**
 * The words of a lab, all plain JSON: a page sends a {@link LabCall} with a {@link LabRequest}, the lab answers with a
 * {@link LabMessage} that has the call's number, and sends {@link LabEvent}s on its own. The same over a WebSocket and
 * between a page and its worker.
 */
export type * from "./protocol/events.js";
export type * from "./protocol/replies.js";
export * from "./protocol/requests.js";
export type * from "./protocol/views.js";
