export default (kit) => ({
  name: "refuses",
  plan: () => kit.fail("needs three tiers", "use kind: clos"),
});
