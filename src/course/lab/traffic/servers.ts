/** The destination ports of the lab's flows at the hosts: a flow is identified by its source port. */
import type { Random } from "../../../base/index.js";
import type { StackHost, Stream, TcpOptions, UdpReceiver } from "../../../fabric/sim/packet/index.js";

export class Servers {
  readonly #streams = new Map<string, (stream: Stream) => void>();
  readonly #receivers = new Map<string, (receiver: UdpReceiver) => void>();
  readonly #listening = new Set<string>();

  /** Listens at the port, unless it does already, and passes the connection from a source port to the caller. */
  awaitTcp(
    host: StackHost,
    port: number,
    from: number,
    { options, random, accept }: { options: TcpOptions; random: Random; accept: (stream: Stream) => void },
  ): void {
    this.#streams.set(`${host.name} ${port} ${from}`, accept);
    if (!this.#isNew(`tcp ${host.name} ${port}`)) return;
    const accepted = (stream: Stream): void => {
      const key = `${host.name} ${port} ${stream.flow.dstPort}`;
      this.#streams.get(key)?.(stream);
      this.#streams.delete(key);
    };
    host.transport.listen(port, options, accepted, random);
  }

  awaitUdp(host: StackHost, port: number, from: number, accept: (receiver: UdpReceiver) => void): void {
    this.#receivers.set(`${host.name} ${port} ${from}`, accept);
    if (!this.#isNew(`udp ${host.name} ${port}`)) return;
    host.listenUdp(port, (receiver) => {
      const key = `${host.name} ${port} ${receiver.peerPort}`;
      this.#receivers.get(key)?.(receiver);
      this.#receivers.delete(key);
    });
  }

  #isNew(place: string): boolean {
    if (this.#listening.has(place)) return false;
    this.#listening.add(place);
    return true;
  }
}
