/** Runs a controller's module in this process, to test its effect on switches; `p4loom grade` uses a separate process. */
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import type { StartController } from "../../../src/course/grading/index.js";
import { Interpreter } from "../../../src/toolchain/control/index.js";
import type { ControllerPacket, ReadQuery, Update } from "../../../src/toolchain/device/index.js";

type Listener = (packet: ControllerPacket) => unknown;
type Start = (context: { switches: Map<string, unknown>; log(text: string): void }) => unknown;

export const localController: StartController = async (module, network) => {
  const listeners = new Map<string, Listener[]>();
  const switches = new Map(
    network.switches().map((name) => {
      const device = network.device(name);
      listeners.set(name, []);
      network.watch(name, (event) => {
        if (event.kind === "packetIn")
          for (const listener of listeners.get(name)!) void listener(event.packet);
      });
      const remote = {
        write: (updates: Update[]) => device.write(updates),
        read: (queries: ReadQuery[]) => device.read(queries),
        packetOut: (packet: ControllerPacket) => device.packetOut(packet),
        run: (line: string) =>
          new Interpreter(device).run(new SourceFile(name, line), new Diagnostics(), { print: () => {} }),
        onPacketIn: (listener: Listener) => void listeners.get(name)!.push(listener),
      };
      return [name, remote] as const;
    }),
  );
  const url = `data:text/javascript;base64,${Buffer.from(module).toString("base64")}`;
  const { start } = (await import(/* @vite-ignore */ url)) as { start: Start };
  await start({ switches, log: () => {} });
  return { idle: async () => {}, close: async () => {} };
};
