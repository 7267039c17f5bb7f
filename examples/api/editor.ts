/** Asks what a name in a program is, as an editor does under the pointer. */
import { readFileSync } from "node:fs";
import { hover, openDocument, outline } from "p4loom/editor";

const text = readFileSync("p4/ecmp/tor.p4", "utf8");
const document = openDocument("tor.p4", text);
console.log(outline(document).map(({ name }) => name).slice(0, 5).join(", "));
console.log(hover(document, text.indexOf("mark_to_drop"))?.text.split("\n")[1]);

/* prints
TYPE_VLAN, TYPE_IPV4, TYPE_IPV6, PROTOCOL_TCP, PROTOCOL_UDP
void mark_to_drop(inout standard_metadata_t standard_metadata)
*/
