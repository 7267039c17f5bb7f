/**
 * The operations of everything that runs a program: {@link Device}, in the domain's own types; the names of values
 * where a type is translated to strings; values as people write them.
 */
export type {
  ActionCall,
  ActionProfileGroup,
  ActionProfileMember,
  Atomicity,
  CloneSessionEntry,
  ControllerPacket,
  CounterData,
  CounterEntry,
  CrcParameters,
  Device,
  DeviceEvent,
  DigestConfigEntry,
  DigestList,
  DirectCounterEntry,
  DirectMeterEntry,
  Entity,
  GroupMember,
  Match,
  MeterConfig,
  MeterEntry,
  MulticastGroupEntry,
  Pace,
  PacketApp,
  PacketGenerator,
  PortTraffic,
  PreparedProgram,
  QueueSelection,
  ReadQuery,
  RegisterEntry,
  Replica,
  StateControl,
  TableAction,
  TableEntry,
  TargetSettings,
  Update,
  ValueSetEntry,
  WeightedAction,
} from "./device.js";
export type { StatusCode, UpdateStatus } from "./device-error.js";
export { DeviceError } from "./device-error.js";
export { deviceView, typeWidths } from "./device-view.js";
export { entityKey, matchesKey } from "./entity-key.js";
export { Names, NamesExhausted, type NamesOptions, type Naming } from "./names.js";
export type { PortAttachment, PortControl, PortDescription } from "./ports.js";
export { difference, INSERTED_KINDS, reconcile } from "./reconcile.js";
export { recording } from "./recording.js";
export { settingsThrough } from "./through-settings.js";
export { formatValue, isMacName, matchText, parseValue, styleOfWidth, valueText } from "./values.js";
