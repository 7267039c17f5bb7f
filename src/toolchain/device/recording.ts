/** A device that hands on what is written through it. */
import type { Device, Update } from "./device.js";

/** The same device, whose accepted updates are also given to `record`. */
export function recording(device: Device, record: (updates: readonly Update[]) => void): Device {
  const write: Device["write"] = async (updates, ...rest) => {
    await device.write(updates, ...rest);
    record(updates);
  };
  return new Proxy(device, {
    get: (target, name) => {
      if (name === "write") return write;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
