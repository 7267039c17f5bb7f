/**
 * The messages between a page and a lab, all plain JSON. A page sends a {@link LabCall} with a {@link LabRequest}; the lab
 * replies with a {@link LabMessage} that has the number of the call, and sends {@link LabEvent}s without a request. The messages
 * are the same over a WebSocket and between a page and its worker.
 */
export type * from "./protocol/events.js";
export type * from "./protocol/replies.js";
export * from "./protocol/requests.js";
export type * from "./protocol/views.js";
