export default (kit) => ({
  name: "unread",
  plan(topology) {
    const { programs, switches } = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
    return { programs: [kit.source("x", "./no.p4")], switches };
  },
});
