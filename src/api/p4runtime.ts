/**
 * `p4loom/p4runtime`: a P4Runtime server in front of any device, and a client that is a device. Page: docs/p4runtime.md.
 */
export type { Device, Entity, Match, ReadQuery, Update } from "../toolchain/device/index.js";
export { DeviceError, difference, formatValue, parseValue, reconcile } from "../toolchain/device/index.js";
export {
  type ClientTls,
  type ConnectOptions,
  connect,
  type P4RuntimeServer,
  RemoteDevice,
  type ServeOptions,
  type ServerTls,
  serve,
  WriteError,
  writeEntries,
  writeUpdates,
} from "../toolchain/p4runtime/index.js";
