/**
 * The operations of everything that runs a program: {@link Device}, in the domain's own types; the names of values
 * where a type is translated to strings; values as people write them.
 */
export {
  type ActionCall,
  type ActionProfileGroup,
  type ActionProfileMember,
  type Atomicity,
  type CloneSessionEntry,
  type ControllerPacket,
  type CounterData,
  type CounterEntry,
  type CrcParameters,
  type Device,
  DeviceError,
  type DeviceEvent,
  type DigestConfigEntry,
  type DigestList,
  type DirectCounterEntry,
  type DirectMeterEntry,
  type Entity,
  type GroupMember,
  type Match,
  type MeterConfig,
  type MeterEntry,
  type MulticastGroupEntry,
  type Pace,
  type PacketGenerator,
  type PreparedProgram,
  type QueueSelection,
  type ReadQuery,
  type RegisterEntry,
  type Replica,
  type StateControl,
  type StatusCode,
  type TableAction,
  type TableEntry,
  type TargetSettings,
  type Update,
  type UpdateStatus,
  type ValueSetEntry,
  type WeightedAction,
} from "./device.js";
export { deviceView, typeWidths } from "./device-view.js";
export { entityKey, matchesKey } from "./entity-key.js";
export { isMacName, matchText, valueText } from "./match-text.js";
export { Names, NamesExhausted, type NamesOptions, type Naming } from "./names.js";
export type { PortAttachment, PortControl, PortDescription } from "./ports.js";
export { difference, INSERTED_KINDS, reconcile } from "./reconcile.js";
export { settingsThrough } from "./through-settings.js";
export { formatValue, type ParsedValue, parseValue, styleOfWidth, type ValueStyle } from "./values.js";
