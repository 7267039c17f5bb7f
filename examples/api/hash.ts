/** Is the choice of one of four members by CRC-16 a linear map of the packet's bits? And of one of three? */
import { linearityOf, parseHash } from "p4loom/hash";

const hash = parseHash("crc-16/arc");
for (const size of [4, 3]) {
  const { counterexample, rank } = linearityOf({ hash, size }, 12, 1000, 1);
  console.log(`${size} members: ${counterexample === undefined ? `linear, rank ${rank}` : "not linear"}`);
}

/* prints
4 members: linear, rank 2
3 members: not linear
*/
