/** Opens a chooser of the module at the URL that the first argument gives, and calls its `onTimeout`; the limit is 3 s. */
import { Random } from "../../../src/base/index.ts";
import { CLIENT, restingHost } from "../../../src/fabric/hosts/index.ts";
import { schemeOfModule } from "../../../src/fabric/own-schemes/module.ts";

const scheme = await schemeOfModule(process.argv[2], undefined, { loadMs: 60_000, limitMs: 3000 });
const policy = scheme.hosts({ kind: scheme.name }, restingHost());
const flow = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };
policy.open(flow, new Random(1), CLIENT).onTimeout(1);
process.stdout.write("returned\n");
