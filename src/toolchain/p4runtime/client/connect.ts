/** Connects to a P4Runtime switch and becomes its primary controller. */
import { given } from "../../../base/index.js";
import { DeviceError } from "../../device/index.js";
import { CURRENT_DIALECT, LEGACY_DIALECT } from "../codec/ports.js";
import { DEFAULT_MESSAGE_BYTES } from "../service.js";
import { type ClientTls, P4RuntimeChannel } from "./channel.js";
import { RemoteDevice } from "./remote-device.js";
import { type After, afterRealTime, type Notice, Session } from "./session.js";

export interface ConnectOptions {
  /** Default 1, as for `serve`. BMv2's default is 0, which P4Runtime does not allow: start it with --device-id. */
  deviceId?: bigint;
  /** Default: the default role, with full access. */
  role?: string;
  /** Claim the role with this id. Default: the highest id that the switch has seen, plus one. */
  electionId?: bigint;
  /** Become primary even while another controller is. Default false: then the connection is refused. */
  takeOver?: boolean;
  /** Only read: no session, no packets, no writes. Default false. */
  readOnly?: boolean;
  tls?: ClientTls;
  /** Connect again after a broken connection. Default true. */
  reconnect?: boolean;
  /** For the connection and for each call; default 10 s. */
  timeoutMs?: number;
  /** Maximum number of updates in one Write; default 1,000. */
  batchSize?: number;
  /** Largest accepted message in bytes. Default 64 MiB. */
  maxMessageBytes?: number;
  /** Name of the device; default: the address. */
  name?: string;
  /**
   * Called when this client is primary again after a lost connection, before the notice of it. Load the program here
   * if the switch has lost it (`device.program`), and reconcile. If it rejects, the connection is made again.
   */
  onReconnect?: (device: RemoteDevice) => Promise<void>;
  /** Called for events of the session that no call of its user has caused. */
  onNotice?: (notice: Notice) => void;
  /** Timers of the session, for simulations and tests. Default: real time. */
  after?: After;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_BATCH = 1000;

/** The first version of P4Runtime that carries ports as byte strings. */
function speaksBytePorts(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 1 || (major === 1 && minor >= 4);
}

/**
 * Connects to the switch at `host:port`. Rejects with a `DeviceError`: UNAVAILABLE when there is no answer,
 * PERMISSION_DENIED (naming the primary) when another controller is primary, NOT_FOUND for a wrong device id.
 */
export async function connect(address: string, options: ConnectOptions = {}): Promise<RemoteDevice> {
  const { deviceId = 1n, role = "", timeoutMs = DEFAULT_TIMEOUT_MS, batchSize = DEFAULT_BATCH } = options;
  if (batchSize < 1) throw new DeviceError("INVALID_ARGUMENT", `batchSize ${batchSize} is below 1`);
  const channel = new P4RuntimeChannel(address, {
    maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MESSAGE_BYTES,
    timeoutMs,
    ...given({ tls: options.tls }),
  });
  try {
    await channel.ready(timeoutMs);
    const dialect = speaksBytePorts(await channel.version()) ? CURRENT_DIALECT : LEGACY_DIALECT;
    const name = options.name ?? address;
    const openSession = async (electionId: bigint | "highest" | undefined): Promise<Session> => {
      const session = new Session(
        channel,
        {
          deviceId,
          role,
          electionId,
          takeOver: options.takeOver ?? false,
          reconnect: options.reconnect ?? true,
          timeoutMs,
          after: options.after ?? afterRealTime,
        },
        (update) => device.receive(update),
        options.onNotice ?? (() => {}),
        async (primary) => {
          await device.refresh();
          if (primary) await options.onReconnect?.(device);
        },
      );
      await session.start();
      return session;
    };
    const device = new RemoteDevice(channel, { name, deviceId, role, batchSize, dialect, openSession });
    if (!options.readOnly) device.attach(await openSession(options.electionId));
    await device.refresh();
    return device;
  } catch (error) {
    channel.close();
    throw error;
  }
}
