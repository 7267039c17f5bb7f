/** How many tries a P-ECMP flow needs after a failure, from the paper's closed form: N next hops, random selectors. */
import { expectedTries, schemeNamed, triesAtQuantile } from "p4loom/schemes";

console.log(schemeNamed("pecmp")?.name);
for (const n of [2, 4, 8])
  console.log(`${n} next hops: ${expectedTries(n).toFixed(2)} tries, 99 % of flows within ${triesAtQuantile(n, 0.99)}`);

/* prints
pecmp
2 next hops: 4.00 tries, 99 % of flows within 17
4 next hops: 1.78 tries, 99 % of flows within 6
8 next hops: 1.31 tries, 99 % of flows within 4
*/
