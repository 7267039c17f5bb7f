"""Which header fields carry a selector: the same rules as src/generate/selector-field.ts."""

FIELD_BITS = {"dscp": 6, "vlan": 12, "flow_label": 20, "dscp_flow_label": 26}


def headers_of(field, selector):
    """(DSCP, VLAN id or None for no tag, flow label) that carry a selector."""
    if field == "dscp":
        return selector & 0x3F, None, 0
    if field == "vlan":
        return 0, selector & 0xFFF, 0
    if field == "flow_label":
        return 0, None, selector & 0xFFFFF
    return selector & 0x3F, None, (selector >> 6) & 0xFFFFF


def selector_of(field, dscp, vlan, flow_label):
    """The inverse; a packet without a tag has VLAN id 0."""
    if field == "dscp":
        return dscp
    if field == "vlan":
        return vlan
    if field == "flow_label":
        return flow_label
    return flow_label * 64 + dscp
