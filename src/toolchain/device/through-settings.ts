/** Settings of a device whose calls are redirected: over a channel, or only while they are permitted. */
import type { TargetSettings } from "./device.js";

/** The settings of a device, each call made by `ask`; undefined where the device has none. */
export function settingsThrough(
  settings: TargetSettings | undefined,
  ask: (work: () => Promise<void>) => Promise<void>,
): TargetSettings | undefined {
  if (settings === undefined) return undefined;
  const { setToeplitzKey, setExpireTime, setGenerators } = settings;
  return {
    setQueueDepth: (...words) => ask(() => settings.setQueueDepth(...words)),
    setQueueRate: (...words) => ask(() => settings.setQueueRate(...words)),
    setCrcParameters: (...words) => ask(() => settings.setCrcParameters(...words)),
    ...(setToeplitzKey === undefined
      ? {}
      : { setToeplitzKey: (...words) => ask(() => setToeplitzKey.call(settings, ...words)) }),
    ...(setExpireTime === undefined
      ? {}
      : { setExpireTime: (...words) => ask(() => setExpireTime.call(settings, ...words)) }),
    ...(setGenerators === undefined
      ? {}
      : { setGenerators: (...words) => ask(() => setGenerators.call(settings, ...words)) }),
  };
}
