// Externs that both Tofino generations declare alike and that need registers or hashes: selection of actions, what
// deparsers send beside the packet, algorithmic match tables.

#ifndef _TOFINO_P4_SELECTION_
#define _TOFINO_P4_SELECTION_

extern ActionProfile {
    ActionProfile(bit<32> size);
}

extern ActionSelector {
    ActionSelector(
        ActionProfile action_profile,
        Hash<_> hash,
        SelectorMode_t mode,
        bit<32> max_group_size,
        bit<32> num_groups
    );
    // The bits of members that are up stand in the register, which a SelectorAction can change.
    ActionSelector(
        ActionProfile action_profile,
        Hash<_> hash,
        SelectorMode_t mode,
        Register<bit<1>, _> reg,
        bit<32> max_group_size,
        bit<32> num_groups
    );
    @deprecated("write ActionSelector with an ActionProfile of its own")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode);
    @deprecated("write ActionSelector with an ActionProfile of its own")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg);
}

extern SelectorAction {
    SelectorAction(ActionSelector sel);
    bit<1> execute(@optional in bit<32> index);
    @synchronous(execute)
    abstract void apply(inout bit<1> value, @optional out bit<1> rv);
}

// A second copy of the packet: in ingress as it came, in egress as it leaves, with hdr in front.
extern Mirror {
    @deprecated("give Mirror the value of mirror_type for which it acts")
    Mirror();
    Mirror(MirrorType_t mirror_type);
    void emit(in MirrorId_t session_id);
    void emit<T>(in MirrorId_t session_id, in T hdr);
}

// Sends the packet through ingress once more, with up to 64 bits of metadata.
extern Resubmit {
    @deprecated("give Resubmit the value of resubmit_type for which it acts")
    Resubmit();
    Resubmit(ResubmitType_t resubmit_type);
    void emit();
    void emit<T>(in T hdr);
}

// A message to the control plane.
extern Digest<T> {
    @deprecated("give Digest the value of digest_type for which it acts")
    Digest();
    Digest(DigestType_t digest_type);
    void pack(in T data);
}

// As property 'implementation' of a table: algorithmic TCAM, with a key of kind atcam_partition_index.
extern Atcam {
    Atcam(@optional bit<32> number_partitions);
}

// As property 'implementation' of a table: algorithmic longest prefix match.
extern Alpm {
    Alpm(
        @optional bit<32> number_partitions,
        @optional bit<32> subtrees_per_partition,
        @optional bit<32> atcam_subset_width,
        @optional bit<32> shift_granularity
    );
}

#endif
