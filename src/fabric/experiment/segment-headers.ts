/** Headers of a segment of the simulator's transports, from the Ethernet header on. */
import { Ethernet, Ip, MESSAGE_HEADER_LENGTH, Tcp, TcpOption, Udp } from "../../base/packets/index.js";

const IP = { 4: Ip.IPV4.length, 6: Ip.IPV6.length } as const;

/** Ethernet and IP. */
export function networkHeaders(ip: 4 | 6): number {
  return Ethernet.LENGTH + IP[ip];
}

/** All of them in bytes, without a tag that a scheme adds: TCP with the option that carries the echo in all segments, or UDP and the header of messages. */
export function segmentHeaders(protocol: string | undefined, ip: 4 | 6): number {
  const own =
    protocol === "messages" ? Udp.LENGTH + MESSAGE_HEADER_LENGTH : Tcp.LENGTH + TcpOption.ECHO.length;
  return networkHeaders(ip) + own;
}
