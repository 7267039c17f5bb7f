/**
 * P4Runtime as server and client. {@link serve} offers any `Device` over gRPC; {@link connect} makes any P4Runtime switch
 * a `Device`. Between them `codec/` converts the domain's entities into messages and back, one file for each kind, by
 * the names and widths of P4Info. gRPC and protobuf stay within this room.
 */
export type { ClientTls } from "./client/channel.js";
export { type ConnectOptions, connect } from "./client/connect.js";
export { RemoteDevice, WriteError } from "./client/remote-device.js";
export type { Notice } from "./client/session.js";
export { writeEntries, writeUpdates } from "./entries-file.js";
export { type P4RuntimeServer, type ServeOptions, type ServerTls, serve } from "./server/server.js";
