/** Writes a file of packets, reads it again, and says which TCP segments and UDP datagrams are in it. */
import { decodePcap, encodePcap, fromHex, Segment } from "p4loom/packets";

const datagram = fromHex("00000000000200000000000108004500001c00000000401166cf0a0000010a00000203e8138800080000")!;
const damaged = datagram.slice();
damaged[16] = 1;
const file = encodePcap([
  { seconds: 0, nanoseconds: 0, frame: datagram },
  { seconds: 1, nanoseconds: 0, frame: damaged },
]);
const segment = new Segment();
for (const { frame } of decodePcap(file, "two.pcap")) {
  if (segment.read(frame)) console.log(`protocol ${segment.protocol}: ${segment.srcPort} to ${segment.dstPort}`);
  else console.log("a host would drop it");
}

/* prints
protocol 17: 1000 to 5000
a host would drop it
*/
